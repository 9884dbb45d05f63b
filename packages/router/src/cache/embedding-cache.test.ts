import { expect, it } from 'vitest'
import type { Classification, Classifier } from '../classifiers/classification.ts'
import { systemClock } from '../clock.ts'
import { createVectorIndex } from '../vector/vector-index.ts'
import { createEmbeddingCache } from './embedding-cache.ts'

const CLASSIFICATION: Classification = {
  labels: ['code'],
  score: 0.9,
  labelScores: [{ label: 'code', score: 0.9 }],
  activationThreshold: 0.5,
}
const KEPT = { id: 'x', owner: 'me', classification: CLASSIFICATION }
const { signal } = new AbortController()

/** Decides one text with this value under its vector. */
async function decideWith(value: string) {
  const index = createVectorIndex()
  await index.set([{ key: [1, 0], value: new TextEncoder().encode(value) }], { signal })
  let asked = 0
  const classifier: Classifier = {
    name: 'score',
    classify: async () => {
      asked++
      return { ...CLASSIFICATION, score: 0.1 }
    },
  }
  const cache = createEmbeddingCache(classifier, {
    embedder: { embed: async (texts) => texts.map(() => Float32Array.of(1, 0)) },
    index,
    similarityThreshold: 0.9,
    confidenceThreshold: 0.5,
    owner: 'me',
    labels: new Set(['code']),
    maxEntries: 10,
    timeoutMs: 60_000,
    clock: systemClock,
  })
  const { cached } = await cache.classify({ text: 'a text', turns: [] }, { signal })
  return { cached, asked, ...cache.readStats() }
}

it('serves an entry as it was kept', async () => {
  expect(await decideWith(JSON.stringify(KEPT))).toMatchObject({ cached: true, asked: 0, hits: 1, storeErrors: 0 })
})

const classified = (change: object) => JSON.stringify({ ...KEPT, classification: { ...CLASSIFICATION, ...change } })

it.each([
  ['no JSON', '{'],
  ['no object', '5'],
  ['nothing', 'null'],
  ['an id that is a number', JSON.stringify({ ...KEPT, id: 5 })],
  ['no owner', JSON.stringify({ ...KEPT, owner: undefined })],
  ['no classification', JSON.stringify({ ...KEPT, classification: null })],
  ['labels that are no list', classified({ labels: 'code' })],
  ['a label that is a number', classified({ labels: [5] })],
  ['no score', classified({ score: null })],
  ['no threshold', classified({ activationThreshold: '0.5' })],
  ['no scores of labels', classified({ labelScores: {} })],
  ['a score without its label', classified({ labelScores: [{ score: 1 }] })],
  ['a label without its score', classified({ labelScores: [{ label: 'code' }] })],
])('counts %s as an error of the store, and asks the classifier', async (_what, value) => {
  expect(await decideWith(value)).toMatchObject({ asked: 1, hits: 0, misses: 1, storeErrors: 1 })
})

it.each([
  ['of another owner', JSON.stringify({ ...KEPT, owner: 'you' })],
  ['with a label that may not be active', classified({ labels: ['code', 'math'] })],
])('passes over an entry %s', async (_what, value) => {
  expect(await decideWith(value)).toMatchObject({ asked: 1, hits: 0, misses: 1, storeErrors: 0 })
})
