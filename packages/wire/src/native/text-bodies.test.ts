import { describe, expect, it } from 'vitest'
import { parseBody } from '../parse-body.ts'
import { scoreReply, scoreRequest } from './score.ts'
import { detokenizeReply, detokenizeRequest, tokenizeReply, tokenizeRequest } from './tokenize.ts'

const refusedField = (param: string) => expect.objectContaining({ kind: 'invalid_request', details: { param } })

describe('tokenize and detokenize', () => {
  it('accept the required fields alone, and empty texts and lists', () => {
    for (const body of [{ content: '' }, { model: 'm', content: 'a b' }])
      expect(parseBody(tokenizeRequest, body)).toEqual(body)
    for (const body of [{ tokens: [] }, { model: null, tokens: [1, 2] }])
      expect(parseBody(detokenizeRequest, body)).toEqual(body)
    expect(parseBody(tokenizeReply, { tokens: [5] })).toEqual({ tokens: [5] })
    expect(parseBody(detokenizeReply, { content: 'a' })).toEqual({ content: 'a' })
  })

  it('name the field at fault', () => {
    expect(() => parseBody(tokenizeRequest, { content: ['a'] })).toThrow(refusedField('content'))
    expect(() => parseBody(detokenizeRequest, { tokens: [1, '2'] })).toThrow(refusedField('tokens[1]'))
    expect(() => parseBody(detokenizeRequest, { tokens: [-1] })).toThrow(refusedField('tokens[0]'))
  })
})

describe('score', () => {
  it('takes a request and a reply', () => {
    const request = { model: 'm', prompt: 'p', candidates: ['a'], length_normalize: true, include_token_logprobs: null }
    expect(parseBody(scoreRequest, request)).toEqual(request)
    const reply = {
      model: 'm',
      candidates: [
        { log_prob: -3, num_tokens: 2 },
        { log_prob: -3, num_tokens: 1, length_normalized_log_prob: -3, tokens: [{ token: 'a', log_prob: -3 }] },
      ],
    }
    expect(parseBody(scoreReply, reply)).toEqual(reply)
  })

  it.each([
    ['prompt', { candidates: ['a'] }],
    ['candidates', { prompt: 'p' }],
    ['candidates[0]', { prompt: 'p', candidates: [1] }],
    ['length_normalize', { prompt: 'p', candidates: ['a'], length_normalize: 'yes' }],
  ])('names the field at fault: %s', (param, body) => {
    expect(() => parseBody(scoreRequest, body)).toThrow(refusedField(param))
  })
})
