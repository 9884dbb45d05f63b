import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseBody } from '../parse-body.ts'
import { type Completion, type CompletionChunk, completion, completionChunk, completionRequest } from './completions.ts'

const refusedField = (param: string) => expect.objectContaining({ kind: 'invalid_request', details: { param } })

describe('completionRequest', () => {
  it.each(['Once', '', ['a', 'b'], [1, 2], [[1], [2, 3]], ['a', [1]], []])('takes the prompt %j', (prompt) => {
    expect(parseBody(completionRequest, { prompt })).toEqual({ prompt })
  })

  it('keeps unknown keys, and takes null for an optional field', () => {
    const body = { prompt: 'a', suffix: null, best_of: 3, logprobs: 0, echo: true, stop: null, vendor: { x: 1 } }
    expect(parseBody(completionRequest, body)).toEqual(body)
  })

  it.each([
    ['prompt', {}],
    ['prompt', { prompt: null }],
    ['prompt[1]', { prompt: [1, -1] }],
    ['prompt[0]', { prompt: [1.5] }],
    ['prompt[1]', { prompt: ['a', 2] }],
    ['prompt[1]', { prompt: [1, 'a'] }],
    ['prompt[1][0]', { prompt: ['a', [2 ** 31]] }],
    ['logprobs', { prompt: 'a', logprobs: 21 }],
    ['n', { prompt: 'a', n: 0 }],
    ['stop', { prompt: 'a', stop: 5 }],
    ['max_tokens', { prompt: 'a', max_tokens: -2 }],
    ['temperature', { prompt: 'a', temperature: 'hot' }],
    ['suffix', { prompt: 'a', suffix: 1 }],
  ])('names the field at fault: %s', (param, body) => {
    expect(() => parseBody(completionRequest, body)).toThrow(refusedField(param))
  })

  it('accepts or refuses any body as invalid_request', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.constantFrom('prompt', 'n', 'stop', 'logprobs', 'echo'), fc.jsonValue()), (body) => {
        try {
          parseBody(completionRequest, body)
        } catch (error) {
          expect(error).toMatchObject({ kind: 'invalid_request', code: 'invalid_body' })
        }
      }),
    )
  })
})

const envelope = { id: 'c', created: 1_700_000_000, model: 'demo', object: 'text_completion' } as const
const logprobs = { tokens: ['a'], token_logprobs: [-0.5], text_offset: [0], top_logprobs: [{ a: -0.5, b: -2 }] }

describe('completion', () => {
  const reply: Completion = {
    ...envelope,
    choices: [{ index: 0, text: '', finish_reason: 'length', logprobs }],
    usage: { prompt_tokens: 1, completion_tokens: 0, total_tokens: 1 },
  }

  it('takes a whole reply', () => {
    expect(parseBody(completion, reply)).toEqual(reply)
  })

  it.each([
    ['choices[0].text', { index: 0, finish_reason: 'stop', logprobs: null }],
    ['choices[0].logprobs', { index: 0, text: 'a', finish_reason: 'stop' }],
    ['choices[0].finish_reason', { index: 0, text: 'a', finish_reason: null, logprobs: null }],
    ['choices[0].finish_reason', { index: 0, text: 'a', finish_reason: 'tool_calls', logprobs: null }],
  ])('refuses a reply official clients cannot read: %s', (param, choice) => {
    expect(() => parseBody(completion, { ...reply, choices: [choice] })).toThrow(refusedField(param))
  })
})

describe('completionChunk', () => {
  it.each<CompletionChunk>([
    { ...envelope, choices: [{ index: 0, text: 'a', finish_reason: null, logprobs }] },
    { ...envelope, choices: [{ index: 0, text: '', finish_reason: 'stop', logprobs: null }] },
    { ...envelope, choices: [], usage: { prompt_tokens: 1, completion_tokens: 0, total_tokens: 1 } },
  ])('takes %j', (chunk) => {
    expect(parseBody(completionChunk, chunk)).toEqual(chunk)
  })

  it('refuses a choice without text, which breaks clients, the last one too', () => {
    const chunk = { ...envelope, choices: [{ index: 0, finish_reason: 'stop', logprobs: null }] }
    expect(() => parseBody(completionChunk, chunk)).toThrow(refusedField('choices[0].text'))
  })
})
