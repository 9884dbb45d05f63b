import type { CandidateScore, PartialMessage, PredictOptions, ScoreRequest } from '@svc/backend-client/proto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startBackend, type TestBackend } from './backend.ts'
import { CHAINS, createVocabulary } from './models.ts'

const { tokens: VOCABULARY } = createVocabulary()
let backend: TestBackend

beforeAll(async () => {
  backend = await startBackend()
  await backend.load({}, { EnableScore: true })
})

afterAll(async () => {
  await backend[Symbol.asyncDispose]()
})

async function score(request: PartialMessage<ScoreRequest>): Promise<readonly CandidateScore[]> {
  return (await backend.client.score({ prompt: 'hello', ...request })).candidates
}

/** The log-probability of a single token, as an answer reports it. */
async function readLogprob(prompt: string, token: string): Promise<number> {
  const LogitBias = JSON.stringify({ [VOCABULARY.indexOf(token)]: 1000 })
  const ask: Partial<PredictOptions> = { Prompt: prompt, Tokens: 1, Logprobs: 1, LogitBias }
  const { logprobs } = await backend.client.predict(ask)
  return (JSON.parse(logprobs.toString()) as { content: [{ logprob: number }] }).content[0].logprob
}

describe('the score of a continuation', () => {
  it('is the likelihood that an answer would have', async () => {
    const [paris, london] = await score({ candidates: [' paris', ' london'] })
    expect(paris?.logProb).toBeCloseTo(await readLogprob('hello', '▁paris'), 3)
    expect(london?.logProb).toBeCloseTo(await readLogprob('hello', '▁london'), 3)
    expect([paris?.numTokens, paris?.tokens, paris?.lengthNormalizedLogProb]).toEqual([1, [], 0])
  })

  it('is the sum over its tokens, and their mean where that is asked for', async () => {
    const [both] = await score({
      candidates: [' paris london good'],
      lengthNormalize: true,
      includeTokenLogprobs: true,
    })
    const tokens = both?.tokens ?? []
    expect(tokens.map(({ token }) => token)).toEqual([' paris', ' london', ' good'])
    expect(tokens[1]?.logProb).toBeCloseTo(await readLogprob('hello paris', '▁london'), 3)
    const sum = tokens.reduce((total, { logProb }) => total + logProb, 0)
    expect(both?.logProb).toBeCloseTo(sum, 6)
    expect(both?.lengthNormalizedLogProb).toBeCloseTo(sum / 3, 6)
    expect(both?.numTokens).toBe(3)
  })

  it('does not depend on the candidates beside it', async () => {
    const candidates = [' paris london', ' paris london good', ' paris', '', ' paris code math', ' paris london']
    const together = await score({ candidates })
    for (const [index, candidate] of candidates.entries()) {
      const [alone] = await score({ candidates: [candidate] })
      expect(together[index]?.logProb).toBeCloseTo(alone?.logProb ?? 1, 3)
    }
    expect(together[3]).toMatchObject({ logProb: 0, numTokens: 0 })
    expect(await score({ candidates: [] })).toEqual([])
  })

  it('reads long candidates in pieces', async () => {
    const candidate = ' yes no code math'.repeat(25)
    const [long] = await score({ candidates: [candidate], includeTokenLogprobs: true })
    expect(long?.tokens.map(({ token }) => token).join('')).toBe(candidate)
    expect(long?.tokens.at(-1)?.logProb).toBeCloseTo(await readLogprob(`hello${candidate.slice(0, -5)}`, '▁math'), 3)
  })

  it('leaves a prompt behind that need not be read again', async () => {
    const prompt = Array(100).fill('weather').join(' ')
    await score({ prompt, candidates: [' paris'] })
    await backend.client.predict({ Prompt: `${prompt} london`, Tokens: 1, PromptCacheAll: true })
    expect((await backend.client.getMetrics({})).promptTokensProcessed).toBe(1)
  })

  it.each<[string, PartialMessage<ScoreRequest>]>([
    ['more than fits', { prompt: 'hello '.repeat(505), candidates: [' a b c d e f g h'] }],
    ['more candidates than are read', { candidates: Array<string>(1025).fill(' a') }],
  ])('is refused for %s', async (_, request) => {
    await expect(score(request)).rejects.toMatchObject({ kind: 'invalid_request' })
  })

  it('is refused where the model was not loaded for it', async () => {
    await backend.load({ chains: CHAINS })
    await expect(score({ candidates: [' paris'] })).rejects.toMatchObject({ kind: 'not_implemented' })
    expect((await backend.client.extensions.capabilities({})).scoring).toBe(false)
    await backend.load({ chains: CHAINS }, { EnableScore: true })
    expect((await backend.client.extensions.capabilities({})).scoring).toBe(true)
    const [likely, unlikely] = await score({ candidates: [' world the weather', ' world the code'] })
    expect(likely?.logProb).toBeGreaterThan(-0.1)
    expect(unlikely?.logProb).toBeLessThan(-5)
  })
})
