import { describe, expect, it } from 'vitest'
import { startTestServer } from '../support/server.ts'

const keys = { known_usecases: ['tokenize'] }

describe('POST /v1/tokenize and /v1/detokenize', () => {
  // verifies inference:route:tokenize, inference:route:detokenize
  it('give the tokens of a text, and the text of tokens', async () => {
    await using server = await startTestServer()
    await server.model('t', {}, keys)
    const content = 'Grüße an alle'
    const tokenized = await server.post('/v1/tokenize', { model: 't', content })
    expect(tokenized.status).toBe(200)
    const { tokens, ...rest } = tokenized.json() as { tokens: number[] }
    expect(rest).toEqual({})
    expect(tokens).toHaveLength(3)
    expect(tokens.every(Number.isInteger)).toBe(true)
    const back = await server.post('/v1/detokenize', { model: 't', tokens })
    expect(back.status).toBe(200)
    expect(back.json()).toEqual({ content })
    const sent = server.records('t').find(({ rpc, event }) => rpc === 'TokenizeString' && event === 'start')
    expect(sent?.request).toMatchObject({ Prompt: content, ModelIdentity: 't.bin' })
  })

  it('give nothing for an empty text, and use the default model when none is named', async () => {
    await using server = await startTestServer()
    expect((await server.post('/v1/tokenize', { content: 'a' })).status).toBe(400)
    await server.model('t', {}, keys)
    expect((await server.post('/v1/tokenize', { content: '' })).json()).toEqual({ tokens: [] })
    expect((await server.post('/v1/detokenize', { tokens: [] })).json()).toEqual({ content: '' })
  })

  it('refuse other types than text or token lists, naming the field', async () => {
    await using server = await startTestServer()
    await server.model('t', {}, keys)
    const wrong: [string, object, string][] = [
      ['tokenize', {}, 'content'],
      ['tokenize', { content: null }, 'content'],
      ['tokenize', { content: ['a'] }, 'content'],
      ['detokenize', {}, 'tokens'],
      ['detokenize', { tokens: 'a' }, 'tokens'],
      ['detokenize', { tokens: [1, -1] }, 'tokens[1]'],
      ['detokenize', { tokens: [2 ** 31] }, 'tokens[0]'],
      ['detokenize', { tokens: Array.from({ length: 262_145 }, () => 1) }, 'tokens'],
    ]
    for (const [route, fields, param] of wrong) {
      const reply = await server.post(`/v1/${route}`, { model: 't', ...fields })
      expect(reply.status, param).toBe(400)
      expect(reply.json(), param).toMatchObject({ error: { param } })
    }
  })

  it('a backend that has no such call is 501, one that gives no tokens 500', async () => {
    await using server = await startTestServer()
    await server.model('none', { without: ['TokenizeString', 'Detokenize'] }, keys)
    expect((await server.post('/v1/tokenize', { model: 'none', content: 'a' })).status).toBe(501)
    expect((await server.post('/v1/detokenize', { model: 'none', tokens: [1] })).status).toBe(501)
    await server.model('odd', { rules: [{ rpc: 'TokenizeString', do: { answer: { tokens: [-1] } } }] }, keys)
    expect((await server.post('/v1/tokenize', { model: 'odd', content: 'a' })).status).toBe(500)
  })
})
