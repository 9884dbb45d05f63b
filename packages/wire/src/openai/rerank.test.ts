import { describe, expect, it } from 'vitest'
import { parseBody } from '../parse-body.ts'
import { rerankReply, rerankRequest } from './rerank.ts'

const refusedField = (param: string) => expect.objectContaining({ kind: 'invalid_request', details: { param } })

describe('rerankRequest', () => {
  it.each([
    { query: 'q', documents: [] },
    { query: 'q', documents: ['a', { text: 'b', title: 't' }], top_n: 1, return_documents: false },
    // The route checks the range and answers with a status of its own.
    { query: '', documents: ['a'], top_n: 0, max_chunks_per_doc: 10 },
  ])('takes %j', (body) => {
    expect(parseBody(rerankRequest, body)).toEqual(body)
  })

  it.each([
    ['query', { documents: [] }],
    ['documents', { query: 'q' }],
    ['documents[1]', { query: 'q', documents: ['a', 5] }],
    ['documents[0].text', { query: 'q', documents: [{ title: 't' }] }],
    ['top_n', { query: 'q', documents: [], top_n: 1.5 }],
  ])('names the field at fault: %s', (param, body) => {
    expect(() => parseBody(rerankRequest, body)).toThrow(refusedField(param))
  })
})

it('rerankReply takes results with and without their documents', () => {
  const reply = {
    id: 'r',
    model: 'm',
    usage: { total_tokens: 3, prompt_tokens: 3 },
    results: [
      { index: 1, relevance_score: 0.5, document: { text: 'b' } },
      { index: 0, relevance_score: -0.5 },
    ],
    meta: { tokens: { input_tokens: 3 } },
  }
  expect(parseBody(rerankReply, reply)).toEqual(reply)
})
