import { describe, expect, it } from 'vitest'
import { parseBody } from '../parse-body.ts'
import { type EmbeddingList, embeddingList, embeddingRequest } from './embeddings.ts'

const refusedField = (param: string) => expect.objectContaining({ kind: 'invalid_request', details: { param } })

describe('embeddingRequest', () => {
  it.each([
    { input: 'a' },
    { input: ['a', 'b'] },
    { input: [1, 2] },
    { input: [[1], 'a'] },
    { messages: [{ role: 'user', content: 'hi' }] },
    { input: 'a', encoding_format: 'base64', dimensions: 8, pooling: 'decayed_mean', pooling_half_life_tokens: 3 },
    { input: 'a', encoding_format: null, dimensions: null, user: 'u', task: 'retrieval' },
  ])('takes %j', (body) => {
    expect(parseBody(embeddingRequest, body)).toEqual(body)
  })

  it.each([
    ['input', { input: 7 }],
    ['input[1]', { input: ['a', null] }],
    ['messages', { messages: [] }],
    ['messages[0].role', { messages: [{ role: 'robot', content: 'x' }] }],
    ['encoding_format', { input: 'a', encoding_format: 'int8' }],
    ['dimensions', { input: 'a', dimensions: 0 }],
    ['pooling', { input: 'a', pooling: 'max' }],
    ['pooling_half_life_tokens', { input: 'a', pooling_half_life_tokens: -1 }],
  ])('names the field at fault: %s', (param, body) => {
    expect(() => parseBody(embeddingRequest, body)).toThrow(refusedField(param))
  })
})

describe('embeddingList', () => {
  const reply: EmbeddingList = {
    id: 'e',
    object: 'list',
    model: 'm',
    data: [
      { object: 'embedding', index: 0, embedding: [0.5, -0.5] },
      { object: 'embedding', index: 1, embedding: 'AAAAPw==' },
    ],
    usage: { prompt_tokens: 2, total_tokens: 2 },
  }

  it('takes numbers and base64', () => {
    expect(parseBody(embeddingList, reply)).toEqual(reply)
  })

  it('refuses one without usage, which clients read', () => {
    const { usage: _, ...rest } = reply
    expect(() => parseBody(embeddingList, rest)).toThrow(refusedField('usage'))
  })
})
