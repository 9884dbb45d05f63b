import { describe, expect, it } from 'vitest'
import { parseBody } from '../parse-body.ts'
import { type ChatCompletion, type ChatCompletionChunk, chatCompletion, chatCompletionChunk } from './chat-reply.ts'

const usage = { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 }
const entry = { token: 'hé', logprob: -0.1, bytes: [104, 195, 169] }

const reply: ChatCompletion = {
  id: 'chatcmpl-1',
  object: 'chat.completion',
  created: 1_700_000_000,
  model: 'demo',
  choices: [
    {
      index: 0,
      message: { role: 'assistant', content: 'hé', refusal: null, reasoning: 'hm' },
      finish_reason: 'stop',
      logprobs: {
        content: [{ ...entry, top_logprobs: [entry, { token: '<0x80>', logprob: -9, bytes: null }] }],
        refusal: null,
      },
    },
    {
      index: 1,
      message: {
        role: 'assistant',
        content: null,
        refusal: null,
        tool_calls: [{ index: 0, id: 'call_1', type: 'function', function: { name: 'f', arguments: '{}' } }],
      },
      finish_reason: 'tool_calls',
      logprobs: null,
    },
  ],
  usage: { ...usage, timing_prompt_processing: 1.5, timing_token_generation: 2.5 },
}

const chunk = (choices: ChatCompletionChunk['choices'], extra: object = {}): ChatCompletionChunk => ({
  id: 'chatcmpl-1',
  object: 'chat.completion.chunk',
  created: 1_700_000_000,
  model: 'demo',
  choices,
  ...extra,
})

describe('chatCompletion', () => {
  it('takes a whole reply, unknown keys included', () => {
    const body = { ...reply, provider: 'x' }
    expect(parseBody(chatCompletion, body)).toEqual(body)
  })

  it.each([
    ['choices[0].logprobs', { ...reply, choices: [{ ...reply.choices[0], logprobs: undefined }] }],
    ['choices[0].finish_reason', { ...reply, choices: [{ ...reply.choices[0], finish_reason: 'bored' }] }],
    ['choices[0].finish_reason', { ...reply, choices: [{ ...reply.choices[0], finish_reason: null }] }],
    [
      'choices[0].message.refusal',
      { ...reply, choices: [{ ...reply.choices[0], message: { role: 'assistant', content: '' } }] },
    ],
    ['usage.total_tokens', { ...reply, usage: { ...usage, total_tokens: -1 } }],
    ['created', { ...reply, created: 1.5 }],
  ])('refuses a reply official clients cannot read: %s', (param, body) => {
    expect(() => parseBody(chatCompletion, body)).toThrow(expect.objectContaining({ details: { param } }))
  })
})

describe('chatCompletionChunk', () => {
  it.each([
    ['the role', chunk([{ index: 0, delta: { role: 'assistant', content: null }, finish_reason: null }])],
    ['reasoning', chunk([{ index: 0, delta: { reasoning: 'hm' }, finish_reason: null }])],
    ['text', chunk([{ index: 0, delta: { content: 'a' }, finish_reason: null, logprobs: null }])],
    [
      'the start of a tool call',
      chunk([
        {
          index: 0,
          delta: { tool_calls: [{ index: 0, id: 'c', type: 'function', function: { name: 'f', arguments: '' } }] },
          finish_reason: null,
        },
      ]),
    ],
    [
      'arguments of a tool call',
      chunk([{ index: 0, delta: { tool_calls: [{ index: 0, function: { arguments: '{' } }] }, finish_reason: null }]),
    ],
    ['the end of a choice', chunk([{ index: 0, delta: {}, finish_reason: 'length' }])],
    ['usage', chunk([], { usage })],
    ['no usage yet', chunk([], { usage: null })],
  ])('takes a chunk with %s', (_, body) => {
    expect(parseBody(chatCompletionChunk, body)).toEqual(body)
  })

  it('refuses a choice without finish_reason, which client helpers need', () => {
    expect(() => parseBody(chatCompletionChunk, { ...chunk([]), choices: [{ index: 0, delta: {} }] })).toThrow(
      expect.objectContaining({ details: { param: 'choices[0].finish_reason' } }),
    )
  })
})
