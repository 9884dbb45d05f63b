import { expect, it } from 'vitest'
import { createRerankHandlers, modelNotLoaded, type RankRequest } from '../src/index.ts'
import { startWorld } from './world.ts'

/** Ranks texts by their length. */
const byLength = async ({ query, documents }: RankRequest) => ({
  scores: documents.map(({ length }) => length),
  promptTokens: query.length,
})

it('puts the best first, equals in their order, and gives no more than asked for', async () => {
  await using world = await startWorld({ handlers: createRerankHandlers({ use: () => ({ rank: byLength }) }) })
  const documents = ['aa', 'b', 'cc', 'dddd']
  const rerank = async (topN: number) => await world.client.rerank({ query: 'who?', documents, topN })
  const whole = await rerank(0)
  expect(whole.results).toEqual([
    { index: 3, text: 'dddd', relevanceScore: 4 },
    { index: 0, text: 'aa', relevanceScore: 2 },
    { index: 2, text: 'cc', relevanceScore: 2 },
    { index: 1, text: 'b', relevanceScore: 1 },
  ])
  expect(whole.usage).toEqual({ totalTokens: 4, promptTokens: 4 })
  expect((await rerank(2)).results.map(({ index }) => index)).toEqual([3, 0])
  expect((await rerank(99)).results).toHaveLength(4)
})

it('refuses an invalid request before asking the model, and a missing model before that', async () => {
  let asked = 0
  const models = {
    use: (identity: string) => {
      if (identity === 'other') throw modelNotLoaded()
      return {
        rank: async () => {
          asked += 1
          return { scores: [], promptTokens: 0 }
        },
      }
    },
  }
  await using world = await startWorld({ handlers: createRerankHandlers(models) })
  const bad = { kind: 'invalid_request' }
  await expect(world.client.rerank({ topN: -1 })).rejects.toMatchObject(bad)
  await expect(world.client.rerank({ documents: Array(10_001).fill('') })).rejects.toMatchObject(bad)
  await expect(world.client.rerank({ topN: -1, ModelIdentity: 'other' })).rejects.toMatchObject({
    code: 'model_not_loaded',
  })
  expect(asked).toBe(0)
})
