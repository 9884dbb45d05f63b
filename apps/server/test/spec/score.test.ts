import { describe, expect, it } from 'vitest'
import { startTestServer } from '../support/server.ts'

const SCORE = '/api/score'
const keys = { known_usecases: ['score'] }
const prompt = 'Is the sky blue? Answer yes or no.'
const candidates = [' yes', ' no way', ' perhaps']

interface Candidate {
  log_prob: number
  length_normalized_log_prob?: number
  num_tokens: number
  tokens?: { token: string; log_prob: number }[]
}

describe('POST /api/score', () => {
  // verifies score:route:logprobs
  it('gives the log-probability of each candidate, in their order', async () => {
    await using server = await startTestServer()
    await server.model('s', {}, keys)
    const reply = await server.post(SCORE, { model: 's', prompt, candidates })
    expect(reply.status).toBe(200)
    const body = reply.json() as { model: string; candidates: Candidate[] }
    expect(body).toEqual({
      model: 's',
      candidates: [1, 2, 1].map((num_tokens) => ({ log_prob: expect.any(Number), num_tokens })),
    })
    // the mock finds words of the prompt likely
    const [yes = 0, , perhaps = 0] = body.candidates.map(({ log_prob }) => log_prob)
    expect(yes).toBeLessThan(0)
    expect(yes).toBeGreaterThan(perhaps)
    const sent = server.records('s').find(({ rpc, event }) => rpc === 'Score' && event === 'start')
    expect(sent?.request).toMatchObject({ prompt, candidates, ModelIdentity: 's.bin' })
  })

  // verifies score:route:length-normalize
  it('length_normalize divides by the tokens; include_token_logprobs gives each token', async () => {
    await using server = await startTestServer()
    await server.model('s', {}, keys)
    const body = { model: 's', prompt, candidates, length_normalize: true, include_token_logprobs: true }
    const reply = (await server.post(SCORE, body)).json() as { candidates: Candidate[] }
    for (const { log_prob, length_normalized_log_prob, num_tokens, tokens = [] } of reply.candidates) {
      expect(length_normalized_log_prob).toBeCloseTo(log_prob / num_tokens, 9)
      expect(tokens).toHaveLength(num_tokens)
      expect(tokens.reduce((sum, token) => sum + token.log_prob, 0)).toBeCloseTo(log_prob, 9)
    }
    expect(reply.candidates[1]?.tokens?.map(({ token }) => token)).toEqual([' no', ' way'])
  })

  it('does the division for a backend that leaves it out', async () => {
    await using server = await startTestServer()
    const answer = { candidates: [{ logProb: -6, numTokens: 3 }] }
    await server.model('s', { rules: [{ rpc: 'Score', do: { answer } }] }, keys)
    const reply = await server.post(SCORE, { model: 's', prompt, candidates: ['a b c'], length_normalize: true })
    expect(reply.json()).toMatchObject({ candidates: [{ log_prob: -6, length_normalized_log_prob: -2 }] })
  })

  it('needs a model by name, and candidates', async () => {
    await using server = await startTestServer()
    await server.model('s', {}, keys)
    const unnamed = await server.post(SCORE, { prompt, candidates })
    expect(unnamed.status).toBe(400)
    expect(unnamed.json()).toMatchObject({ error: { message: 'model is required', param: 'model' } })
    const empty = await server.post(SCORE, { model: 's', prompt, candidates: [] })
    expect(empty.status).toBe(400)
    expect(empty.json()).toMatchObject({ error: { message: 'candidates must be non-empty', param: 'candidates' } })
    const unknown = await server.post(SCORE, { model: 'nobody', prompt, candidates })
    expect(unknown.status).toBe(404)
    expect(unknown.json()).toMatchObject({ error: { code: 'model_not_found' } })
    for (const fields of [{ prompt: 1 }, { candidates: 'a' }, { candidates: [1] }, { length_normalize: 'yes' }]) {
      expect((await server.post(SCORE, { model: 's', prompt, candidates, ...fields })).status).toBe(400)
    }
  })

  // verifies score:route:unimplemented
  it('a backend that cannot score is 501 UNIMPLEMENTED; one that fails is 500', async () => {
    await using server = await startTestServer()
    await server.model('none', { without: ['Score'] }, keys)
    const none = await server.post(SCORE, { model: 'none', prompt, candidates })
    expect(none.status).toBe(501)
    expect(none.headers['x-should-retry']).toBe('false')
    expect(none.json()).toMatchObject({
      error: { code: 501, message: expect.stringMatching(/^score call failed: UNIMPLEMENTED: /) },
    })
    const failure = { status: 'INTERNAL', message: 'out of order' } as const
    await server.model('broken', { rules: [{ rpc: 'Score', do: { failure } }] }, keys)
    const broken = await server.post(SCORE, { model: 'broken', prompt, candidates })
    expect(broken.status).toBe(500)
    expect(broken.json()).toMatchObject({ error: { message: 'score call failed: out of order' } })
    await server.model('few', { rules: [{ rpc: 'Score', do: { answer: { candidates: [] } } }] }, keys)
    expect((await server.post(SCORE, { model: 'few', prompt, candidates })).status).toBe(500)
  })
})
