import { SvcError } from '@svc/errors'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseBody } from '../parse-body.ts'
import { chatCompletionRequest } from './chat.ts'
import { isFunctionTool } from './function-tools.ts'
import { isKnownContentPart } from './known-parts.ts'

const messages = [{ role: 'user', content: 'hi' }]

/** The message for the client, or `ok`. */
function verdict(body: unknown): string {
  try {
    parseBody(chatCompletionRequest, body)
    return 'ok'
  } catch (error) {
    if (SvcError.is(error) && error.kind === 'invalid_request') return String(error.details?.param ?? '(body)')
    throw error
  }
}

const withFields = (fields: object) => verdict({ messages, ...fields })

describe('a chat request is accepted', () => {
  it('with every field an official client may send', () => {
    const body = {
      model: 'demo',
      messages: [
        { role: 'system', content: 'be brief' },
        { role: 'developer', content: [{ type: 'text', text: 'be kind' }] },
        {
          role: 'user',
          name: 'ada',
          content: [
            { type: 'text', text: 'what is this?' },
            { type: 'image_url', image_url: { url: 'data:image/png;base64,AA==', detail: 'low' } },
            { type: 'image', image_url: { url: 'https://example.com/a.png' } },
            { type: 'video_url', video_url: { url: 'https://example.com/a.mp4' } },
            { type: 'audio', audio_url: { url: 'https://example.com/a.wav' } },
            { type: 'input_audio', input_audio: { data: 'AA==', format: 'wav' } },
            { type: 'file', file: { file_data: 'AA==', filename: 'a.pdf' } },
            { type: 'refusal', refusal: 'no' },
            { type: 'hologram', rays: [1, 2] },
          ],
        },
        {
          role: 'assistant',
          content: null,
          reasoning_content: 'hm',
          tool_calls: [{ id: 'call_1', type: 'function', index: 0, function: { name: 'f', arguments: '{}' } }],
        },
        { role: 'assistant', content: null, function_call: { name: 'f', arguments: '{}' } },
        { role: 'tool', tool_call_id: 'call_1', content: '1' },
        { role: 'function', name: 'f', content: '1' },
      ],
      stream: true,
      stream_options: { include_usage: true, include_obfuscation: false },
      tools: [{ type: 'function', function: { name: 'f', parameters: { type: 'object' }, strict: true } }],
      tool_choice: 'required',
      parallel_tool_calls: false,
      functions: [{ name: 'g' }],
      function_call: { name: 'g' },
      response_format: { type: 'json_schema', json_schema: { name: 'x', schema: { type: 'object' }, strict: true } },
      metadata: { trace: '1' },
      temperature: 0,
      top_p: 1,
      n: 2,
      max_tokens: 0,
      max_completion_tokens: 100,
      stop: ['a', 'b'],
      seed: -1,
      frequency_penalty: -2,
      presence_penalty: 2,
      logprobs: true,
      top_logprobs: 20,
      logit_bias: { '50256': -100 },
      reasoning_effort: 'low',
      top_k: 40,
      min_p: 0.05,
      typical_p: 1,
      tfz: 1,
      repeat_penalty: 1.1,
      repeat_last_n: 64,
      ignore_eos: false,
      echo: false,
      grammar: 'root ::= "a"',
      user: 'u',
      store: false,
      service_tier: 'auto',
      modalities: ['text'],
      prediction: { type: 'content', content: 'x' },
      verbosity: 'low',
      brand_new_field: { kept: [1] },
    }
    expect(parseBody(chatCompletionRequest, body)).toEqual(body)
  })

  it('with null for every optional field, as official clients write an absent one', () => {
    const optional = Object.keys(chatCompletionRequest.shape).filter((name) => name !== 'messages')
    expect(optional.length).toBeGreaterThan(45)
    expect(withFields(Object.fromEntries(optional.map((name) => [name, null])))).toBe('ok')
  })

  it.each([
    'auto',
    'none',
    'required',
    '{"type":"function","function":{"name":"f"}}',
    ' {"type":"function","name":"f"}',
    { type: 'function', function: { name: 'f' } },
    { type: 'function', name: 'f' },
  ])('with tool_choice %j', (tool_choice) => {
    expect(withFields({ tool_choice })).toBe('ok')
  })

  it.each(['text', 'json_object', { type: 'text' }, { type: 'json_object' }, { type: 'json_schema', json_schema: {} }])(
    'with response_format %j',
    (response_format) => {
      expect(withFields({ response_format })).toBe('ok')
    },
  )

  it.each([2 ** 53, 2 ** 53 + 2, 2 ** 64, -(2 ** 63), 1e300, 0, -1])('with the seed %d', (seed) => {
    expect(parseBody(chatCompletionRequest, { messages, seed }).seed).toBe(seed)
  })

  it('with parts as the responses format names them, read as those of this format', () => {
    const content = [
      { type: 'input_text', text: 'a', cache_control: { type: 'ephemeral' } },
      { type: 'output_text', text: 'b', annotations: [] },
      { type: 'input_image', image_url: 'https://h/i.png', detail: 'low' },
      { type: 'input_image', image_url: { url: 'data:image/png;base64,AA==' } },
      { type: 'text', text: 'c' },
      { type: 'hologram', text: 'd' },
    ]
    expect(parseBody(chatCompletionRequest, { messages: [{ role: 'user', content }] }).messages[0]?.content).toEqual([
      { type: 'text', text: 'a', cache_control: { type: 'ephemeral' } },
      { type: 'text', text: 'b', annotations: [] },
      { type: 'image_url', image_url: { url: 'https://h/i.png' }, detail: 'low' },
      { type: 'image_url', image_url: { url: 'data:image/png;base64,AA==' } },
      { type: 'text', text: 'c' },
      { type: 'hologram', text: 'd' },
    ])
  })

  it('with tools of types that vendors run', () => {
    const tools = [{ type: 'web_search' }, { type: 'function', function: { name: 'f' } }, { type: 'mcp', x: [1] }]
    const [search, own, server] = parseBody(chatCompletionRequest, { messages, tools }).tools ?? []
    expect([search, own, server]).toEqual(tools)
    expect([search, own].map((tool) => tool !== undefined && isFunctionTool(tool))).toEqual([false, true])
  })

  it('keeping unknown keys of messages, parts, tools and schemas', () => {
    const body = {
      messages: [{ role: 'user', content: [{ type: 'text', text: 'x', cache_control: { type: 'ephemeral' } }], x: 1 }],
      tools: [{ type: 'function', x: 2, function: { name: 'f', x: 3, parameters: { properties: { a: {} } } } }],
    }
    expect(parseBody(chatCompletionRequest, body)).toEqual(body)
  })
})

describe('a chat request is refused with the field at fault', () => {
  it.each([
    [{ messages: 7 }, 'messages'],
    [{ messages: [] }, 'messages'],
    [{ messages: undefined }, 'messages'],
    [{ messages: ['hi'] }, 'messages[0]'],
    [{ messages: [{ content: 'x' }] }, 'messages[0].role'],
    [{ messages: [{ role: 'wizard', content: 'x' }] }, 'messages[0].role'],
    [{ messages: [...messages, { role: 'user', content: 5 }] }, 'messages[1].content'],
    [{ messages: [{ role: 'user', content: [{ type: 'text', text: 5 }] }] }, 'messages[0].content[0].text'],
    [{ messages: [{ role: 'user', content: [{ text: 'x' }] }] }, 'messages[0].content[0].type'],
    [{ messages: [{ role: 'user', content: ['x'] }] }, 'messages[0].content[0]'],
    [
      { messages: [{ role: 'user', content: [{ type: 'image_url', image_url: 'x' }] }] },
      'messages[0].content[0].image_url',
    ],
    [
      { messages: [{ role: 'assistant', tool_calls: [{ function: { name: 1 } }] }] },
      'messages[0].tool_calls[0].function.name',
    ],
    [{ model: {} }, 'model'],
    [{ stream: 'yes' }, 'stream'],
    [{ stream_options: { include_usage: 1 } }, 'stream_options.include_usage'],
    [{ stop: 5 }, 'stop'],
    [{ stop: ['a', 5] }, 'stop[1]'],
    [{ max_tokens: -2 }, 'max_tokens'],
    [{ max_tokens: 1.5 }, 'max_tokens'],
    [{ max_completion_tokens: 2 ** 31 }, 'max_completion_tokens'],
    [{ temperature: -0.1 }, 'temperature'],
    [{ temperature: '1' }, 'temperature'],
    [{ temperature: JSON.parse('1e400') }, 'temperature'],
    [{ temperature: 1e300 }, 'temperature'],
    [{ top_p: 1.01 }, 'top_p'],
    [{ top_p: Number.NaN }, 'top_p'],
    [{ n: 0 }, 'n'],
    [{ n: 129 }, 'n'],
    [{ frequency_penalty: 2.1 }, 'frequency_penalty'],
    [{ presence_penalty: -2.1 }, 'presence_penalty'],
    [{ top_logprobs: 21 }, 'top_logprobs'],
    [{ logit_bias: { 7: 101 } }, 'logit_bias.*'],
    [{ logit_bias: { me: 1 } }, 'logit_bias.me'],
    [{ logit_bias: [] }, 'logit_bias'],
    [{ seed: 0.5 }, 'seed'],
    [{ seed: '7' }, 'seed'],
    [{ seed: Number.POSITIVE_INFINITY }, 'seed'],
    [{ metadata: { a: 1 } }, 'metadata.a'],
    [{ tools: {} }, 'tools'],
    [{ tools: [{ type: 'function' }] }, 'tools[0].function'],
    [{ tools: [{ type: 5 }] }, 'tools[0].type'],
    [{ tools: [{ name: 'f' }] }, 'tools[0].type'],
    [{ tools: [{ type: 'function', function: { name: '' } }] }, 'tools[0].function.name'],
    [{ tool_choice: 'maybe' }, 'tool_choice'],
    [{ tool_choice: 7 }, 'tool_choice'],
    [{ tool_choice: { type: 'function', function: {} } }, 'tool_choice.function.name'],
    [{ response_format: [] }, 'response_format'],
    [{ response_format: 'xml' }, 'response_format'],
    [{ response_format: { type: 'xml' } }, 'response_format.type'],
    [{ response_format: { type: 'json_schema' } }, 'response_format.json_schema'],
    [{ top_k: 0.5 }, 'top_k'],
    [{ ignore_eos: 'no' }, 'ignore_eos'],
    [{ grammar: {} }, 'grammar'],
  ])('%j → %s', (fields, param) => {
    expect(withFields(fields)).toBe(param)
  })

  it.each([[null], ['text'], [[]], [7]])('or at the root for a body that is not an object: %j', (body) => {
    expect(verdict(body)).toBe('(body)')
  })

  it('and never by a crash, for any value in any field', () => {
    const names = fc.constantFrom(...Object.keys(chatCompletionRequest.shape))
    const value = fc.oneof(fc.jsonValue(), fc.double(), fc.constantFrom(-0, 2 ** 53 + 2, -1, 1e300))
    fc.assert(
      fc.property(names, value, (name, bad) => {
        expect(withFields({ [name]: bad })).toMatch(new RegExp(`^(ok|${name}([.[].*)?)$`, 's'))
      }),
      { numRuns: 1000 },
    )
  })

  it('without the sent value', () => {
    const secret = 'erika@example.com'
    const body = { messages, stop: { [secret]: secret }, metadata: { [secret]: 5 }, tool_choice: secret }
    for (const field of ['stop', 'metadata', 'tool_choice'] as const) {
      let message = ''
      try {
        parseBody(chatCompletionRequest, { messages, [field]: body[field] })
      } catch (error) {
        if (SvcError.is(error)) message = error.message
      }
      expect(message).toMatch(new RegExp(`^${field}(\\.\\*)?: `))
      expect(message).not.toContain('erika')
    }
  })
})

describe('keys that would reach the prototype', () => {
  it('neither survive nor set a field', () => {
    const body = JSON.parse(
      '{"__proto__":{"stream":true},"messages":[{"role":"user","content":"x","__proto__":{"name":"y"}}],"metadata":{"__proto__":"z"}}',
    )
    const request = parseBody(chatCompletionRequest, body)
    expect(request.stream).toBeUndefined()
    expect(request.messages[0]?.name).toBeUndefined()
    expect(Object.getPrototypeOf(request.messages[0])).toBe(Object.prototype)
    expect(Reflect.get(Object.prototype, 'stream')).toBeUndefined()
  })
})

describe('isKnownContentPart', () => {
  it('distinguishes readable parts from parts that can only be passed on', () => {
    expect(isKnownContentPart({ type: 'text', text: 'x' })).toBe(true)
    expect(isKnownContentPart({ type: 'hologram' })).toBe(false)
  })
})
