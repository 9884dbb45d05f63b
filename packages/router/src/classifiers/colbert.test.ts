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

it.each([
  ['two scores of one document', [...GOOD, { index: 0, score: 0.2 }]],
  ['a score that is no number', [...GOOD.slice(1), { index: 1, score: Number.NaN }]],
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
