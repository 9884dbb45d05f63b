import { expect, it } from 'vitest'
import type { RerankScore } from '../ports.ts'
import { createRouter } from '../router.ts'
import type { RouterSettings } from '../settings.ts'

const SETTINGS: RouterSettings = {
  classifier: 'colbert',
  classifierModel: 'ranker',
  policies: ['chat', 'code'].map((label) => ({ label, description: `The user asks for ${label}` })),
  candidates: [
    { model: 'small', labels: ['chat'] },
    { model: 'coder', labels: ['chat', 'code'] },
  ],
  fallback: 'spare',
}

const decide = (ranking: readonly RerankScore[]) =>
  createRouter({ name: 'auto', settings: SETTINGS, reranker: { rerank: async () => ranking } }).decide('some text')

const GOOD: readonly RerankScore[] = [
  { index: 1, score: 0.9 },
  { index: 0, score: 0.1 },
]

it.each([2, 3, -1, 0.5, Number.NaN, Number.POSITIVE_INFINITY])('passes over the document %s', async (index) => {
  const decision = await decide([...GOOD, { index, score: 5 }])
  expect(decision).toMatchObject({ servedModel: 'coder', score: 0.9, reason: 'covered' })
})

it('takes a document without a score for 0, also where no other has one', async () => {
  expect(await decide([{ index: 1, score: -2 }])).toMatchObject({
    servedModel: 'small',
    label: 'chat',
    score: 0,
    labelScores: [
      { label: 'chat', score: 0 },
      { label: 'code', score: -2 },
    ],
  })
  expect(await decide([])).toMatchObject({ label: 'chat', score: 0 })
  expect(
    await decide([
      { index: 0, score: 0 },
      { index: 1, score: 0.2 },
    ]),
  ).toMatchObject({ label: 'code', score: 0.2 })
})

it.each([
  ['two scores of one document', [...GOOD, { index: 0, score: 0.2 }]],
  ['two scores of the last document', [...GOOD, { index: 1, score: 0.9 }]],
  ['a score of 0 and another', [{ index: 0, score: 0 }, ...GOOD]],
  ['a score that is infinite', [{ index: 5, score: Number.POSITIVE_INFINITY }]],
  ['a score that is not a number', [...GOOD.slice(1), { index: 1, score: Number.NaN }]],
])('fails on %s', async (_what, ranking) => {
  expect(await decide(ranking)).toMatchObject({ servedModel: 'spare', reason: 'classifier-failed' })
})

it('names the setting where there is no ranking model', () => {
  const { problems } = createRouter({ name: 'auto', settings: SETTINGS })
  expect(problems).toContainEqual({
    path: ['classifier_model'],
    message: 'is not there, or cannot rank',
    stopsClassifier: true,
  })
})
