import { describe, expect, it } from 'vitest'
import { parseBody } from '../parse-body.ts'
import { ollamaChatReply, ollamaChatRequest } from './chat.ts'
import { ollamaEmbeddingsReply, ollamaEmbedReply, ollamaEmbedRequest } from './embed.ts'
import { ollamaGenerateReply, ollamaGenerateRequest } from './generate.ts'
import { ollamaPsReply, ollamaShowReply, ollamaShowRequest, ollamaTagsReply } from './models.ts'
import { ollamaError } from './reply.ts'

const refusedField = (param: string) => expect.objectContaining({ kind: 'invalid_request', details: { param } })
const details = {
  parent_model: '',
  format: 'gguf',
  family: 'llama',
  families: ['llama'],
  parameter_size: '1B',
  quantization_level: 'Q8_0',
}
const entry = { name: 'm:latest', model: 'm:latest', size: 1, digest: 'sha256:00', details }

describe('ollamaChatRequest', () => {
  it.each([
    {},
    { model: 'm', messages: [], keep_alive: 0 },
    {
      model: 'm',
      messages: [
        { role: 'system', content: 'Be brief.' },
        { role: 'user', content: 'Look', images: ['AAAA'] },
        {
          role: 'assistant',
          content: '',
          thinking: 'Hm',
          tool_calls: [{ function: { name: 'f', arguments: { a: 1 } } }],
        },
        { role: 'tool', content: '1', tool_name: 'f' },
      ],
      tools: [{ type: 'function', function: { name: 'f', parameters: { type: 'object' } } }],
      format: { type: 'object' },
      think: 'high',
      keep_alive: '1h30m',
      options: { num_ctx: 8192.0, stop: ['a'], num_gpu: 99, seed: -1 },
    },
    { messages: null, format: '', think: false, keep_alive: '-1', stream: null, options: null },
  ])('takes %j', (body) => {
    expect(parseBody(ollamaChatRequest, body)).toEqual(body)
  })

  it.each([
    ['messages[0].role', { messages: [{ role: 'robot', content: '' }] }],
    ['messages[0].content', { messages: [{ role: 'user', content: 5 }] }],
    ['messages[0].tool_calls[0].function.name', { messages: [{ role: 'assistant', tool_calls: [{ function: {} }] }] }],
    ['tools[0].function.name', { tools: [{ function: {} }] }],
    ['options.temperature', { options: { temperature: -1 } }],
    ['options.num_predict', { options: { num_predict: 0.5 } }],
    ['keep_alive', { keep_alive: 'soon' }],
    ['format', { format: 'xml' }],
    ['think', { think: 'a lot' }],
    ['stream', { stream: 'yes' }],
  ])('names the field at fault: %s', (param, body) => {
    expect(() => parseBody(ollamaChatRequest, body)).toThrow(refusedField(param))
  })
})

describe('the other bodies', () => {
  it.each([
    [
      ollamaGenerateRequest,
      { prompt: 'p', suffix: 's', system: 'y', template: '{{ .Prompt }}', raw: true, context: [1] },
    ],
    [ollamaEmbedRequest, { input: ['a', ''], truncate: true, dimensions: 8, keep_alive: 5 }],
    [ollamaEmbedRequest, { prompt: 'a' }],
    [ollamaShowRequest, { name: 'm', verbose: true }],
  ])('are taken as they are', (schema, body) => {
    expect(parseBody(schema, body)).toEqual(body)
  })

  it.each([
    ['context[0]', ollamaGenerateRequest, { context: [-1] }],
    ['images[0]', ollamaGenerateRequest, { images: [1] }],
    ['input[1]', ollamaEmbedRequest, { input: ['a', 1] }],
    ['dimensions', ollamaEmbedRequest, { dimensions: -1 }],
    ['model', ollamaShowRequest, { model: 1 }],
  ])('name the field at fault: %s', (param, schema, body) => {
    expect(() => parseBody(schema, body)).toThrow(refusedField(param))
  })
})

it('replies have the fields that clients read', () => {
  const line = { model: 'm', created_at: '2026-01-01T00:00:00.000Z', done: true, done_reason: 'stop', eval_count: 1 }
  const call = { id: 'c', function: { index: 0, name: 'f', arguments: { a: [1] } } }
  const logprobs = [{ token: 'a', logprob: -1, bytes: [97], top_logprobs: [{ token: 'a', logprob: -1 }] }]
  const message = { role: 'assistant', content: '', thinking: 'x', tool_calls: [call] }
  for (const [schema, body] of [
    [ollamaChatReply, { ...line, message, logprobs }],
    [ollamaGenerateReply, { ...line, response: 'x', context: [1, 2] }],
    [ollamaEmbedReply, { model: 'm', embeddings: [[1]], total_duration: 1, load_duration: 0, prompt_eval_count: 1 }],
    [ollamaEmbeddingsReply, { embedding: [] }],
    [ollamaTagsReply, { models: [{ ...entry, modified_at: '', capabilities: ['completion'] }] }],
    [ollamaPsReply, { models: [{ ...entry, expires_at: '', size_vram: 0, context_length: 4096 }] }],
    [
      ollamaShowReply,
      { modelfile: '', parameters: '', template: '', details, model_info: {}, capabilities: [], modified_at: '' },
    ],
    [ollamaError, { error: 'no' }],
  ] as const) {
    expect(parseBody(schema, body)).toEqual(body)
  }
})
