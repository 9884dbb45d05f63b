import { parseBody } from '@svc/wire'
import { messagesRequest } from '@svc/wire/messages'
import type { ChatCompletionRequest } from '@svc/wire/openai'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { chatToMessages } from './chat-to-messages.ts'
import { encodeExactJson } from './exact-json.ts'

const user = { role: 'user' as const, content: 'hi' }
const f = { type: 'function' as const, function: { name: 'f', parameters: { type: 'object', properties: { a: {} } } } }
const call = (id: string | null, name = 'f', given: string | null = '{"a":1}') => ({
  id,
  type: 'function' as const,
  function: { name, arguments: given },
})

/** The request for the upstream; it must always match the schema of the format. */
function sent(fields: Partial<ChatCompletionRequest>) {
  const body = JSON.parse(
    new TextDecoder().decode(encodeExactJson(chatToMessages({ messages: [user], ...fields }, 'm'))),
  )
  parseBody(messagesRequest, body)
  return body
}

describe('the shape of a messages request', () => {
  it('is the model, a limit and the conversation', () => {
    expect(sent({})).toEqual({ model: 'm', max_tokens: 4096, messages: [user] })
  })

  it.each([
    [{ max_tokens: 7 }, 7],
    [{ max_tokens: 7, max_completion_tokens: 9 }, 9],
    [{ max_tokens: 0 }, 4096],
    [{ max_tokens: -1 }, 4096],
    [{ max_tokens: null }, 4096],
  ])('takes the limit of %j as %i', (fields, limit) => {
    expect(sent(fields).max_tokens).toBe(limit)
  })

  it('never carries sampling parameters', () => {
    expect(sent({ temperature: 0.5, top_p: 0.5, top_k: 3, seed: 1, n: 2, logprobs: true })).toEqual(sent({}))
  })

  it.each([
    ['x', ['x']],
    [['x', ' ', ''], ['x']],
    [[' \n'], undefined],
    [null, undefined],
  ])('stops at %j', (stop, sequences) => {
    expect(sent({ stop }).stop_sequences).toEqual(sequences)
  })

  it('streams when asked to', () => {
    expect(sent({ stream: true }).stream).toBe(true)
    expect(sent({ stream: false })).not.toHaveProperty('stream')
  })
})

describe('messages', () => {
  it('of the system are joined above the conversation', () => {
    const messages = [
      { role: 'system' as const, content: 'a' },
      user,
      { role: 'developer' as const, content: [{ type: 'text' as const, text: 'b' }] },
      { role: 'system' as const, content: ' ' },
    ]
    expect(sent({ messages })).toMatchObject({ system: 'a\n\nb', messages: [user] })
  })

  it("system messages alone become the user's turn", () => {
    const body = sent({ messages: [{ role: 'system', content: 'a' }] })
    expect(body.messages).toEqual([{ role: 'user', content: 'a' }])
    expect(body).not.toHaveProperty('system')
  })

  it('of one role in a row are one', () => {
    const assistant = { role: 'assistant' as const, content: 'ho' }
    expect(sent({ messages: [user, user, assistant, assistant, user] }).messages).toEqual([
      { role: 'user', content: [text('hi'), text('hi')] },
      { role: 'assistant', content: [text('ho'), text('ho')] },
      user,
    ])
  })

  it('that are empty are left out', () => {
    const messages = [user, { role: 'assistant' as const, content: null }, { role: 'assistant' as const, content: '' }]
    expect(sent({ messages }).messages).toEqual([user])
  })

  it('keep no thoughts', () => {
    const messages = [user, { role: 'assistant' as const, content: 'ho', reasoning: 'hm' }, user]
    expect(JSON.stringify(sent({ messages }))).not.toContain('hm')
  })
})

describe('calls', () => {
  it("are blocks, with their results in blocks of the user, before the user's text", () => {
    const messages = [
      user,
      { role: 'assistant' as const, content: 'let me see', tool_calls: [call('a'), call('b', 'g', '')] },
      { role: 'tool' as const, tool_call_id: 'a', content: '1' },
      { role: 'user' as const, content: 'quick' },
      { role: 'tool' as const, tool_call_id: 'b', content: [] },
    ]
    expect(sent({ messages }).messages.slice(1)).toEqual([
      {
        role: 'assistant',
        content: [
          text('let me see'),
          { type: 'tool_use', id: 'a', name: 'f', input: { a: 1 } },
          { type: 'tool_use', id: 'b', name: 'g', input: {} },
        ],
      },
      {
        role: 'user',
        content: [
          { type: 'tool_result', tool_use_id: 'a', content: '1' },
          { type: 'tool_result', tool_use_id: 'b' },
          text('quick'),
        ],
      },
    ])
  })

  it.each([
    ['', {}],
    ['{}', {}],
    [null, {}],
    ['{"a":[1]}', { a: [1] }],
    ['[1]', { raw: '[1]' }],
    ['{"a":', { raw: '{"a":' }],
  ])('with the arguments %j have the input %j', (given, input) => {
    const messages = [user, { role: 'assistant' as const, tool_calls: [call('a', 'f', given)] }]
    expect(sent({ messages }).messages[1].content[0].input).toEqual(input)
  })

  it('keep numbers and keys exactly as they were written', () => {
    const given = '{ "b": 12345678901234567890, "a": 1.0, "$&": "$1" }'
    const messages = [user, { role: 'assistant' as const, tool_calls: [call('a', 'f', given), call('b', 'f', given)] }]
    const body = new TextDecoder().decode(encodeExactJson(chatToMessages({ messages }, 'm')))
    expect(body.split(`"input":${given}`)).toHaveLength(3)
  })

  it('get ids that an upstream takes, the same for call and result', () => {
    const messages = [
      user,
      { role: 'assistant' as const, tool_calls: [call('call.1:ä')] },
      { role: 'tool' as const, tool_call_id: 'call.1:ä', content: 'x' },
    ]
    const [, assistant, result] = sent({ messages }).messages
    expect(assistant.content[0].id).toMatch(/^[a-zA-Z0-9_-]+$/)
    expect(result.content[0].tool_use_id).toBe(assistant.content[0].id)
  })

  it('of the older form are calls', () => {
    const messages = [
      user,
      { role: 'assistant' as const, content: null, function_call: { name: 'f', arguments: '{"a":2}' } },
      { role: 'function' as const, name: 'f', content: '3' },
    ]
    expect(sent({ messages }).messages.slice(1)).toEqual([
      { role: 'assistant', content: [{ type: 'tool_use', id: 'call_1', name: 'f', input: { a: 2 } }] },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'call_1', content: '3' }] },
    ])
  })

  it("without ids match by name; a result without a call becomes the user's text", () => {
    const messages = [
      { role: 'assistant' as const, tool_calls: [call(null, 'f'), call('', 'g')] },
      { role: 'tool' as const, name: 'g', content: 'of g' },
      { role: 'tool' as const, content: 'of f' },
      { role: 'tool' as const, content: 'of nobody' },
    ]
    expect(sent({ messages }).messages[1].content).toEqual([
      { type: 'tool_result', tool_use_id: 'call_2', content: 'of g' },
      { type: 'tool_result', tool_use_id: 'call_1', content: 'of f' },
      text('of nobody'),
    ])
  })
})

describe('tools', () => {
  it('get a schema when they have none', () => {
    const bare = { type: 'function' as const, function: { name: 'g', description: 'd' } }
    expect(sent({ tools: [f, bare], functions: [{ name: 'h' }] }).tools).toEqual([
      { name: 'f', input_schema: f.function.parameters },
      { name: 'g', description: 'd', input_schema: { type: 'object', properties: {} } },
      { name: 'h', input_schema: { type: 'object', properties: {} } },
    ])
  })

  it.each([
    ['auto', { type: 'auto' }],
    ['required', { type: 'any' }],
    ['any', { type: 'any' }],
    [
      { type: 'function' as const, function: { name: 'f' } },
      { type: 'tool', name: 'f' },
    ],
    [
      { type: 'function' as const, name: 'f' },
      { type: 'tool', name: 'f' },
    ],
    ['{"type":"function","function":{"name":"f"}}', { type: 'tool', name: 'f' }],
    ['{broken', undefined],
    [null, undefined],
  ])('chosen by %j are chosen by %j', (tool_choice, expected) => {
    expect(sent({ tools: [f], tool_choice }).tool_choice).toEqual(expected)
  })

  it('are dropped with a choice that allows none', () => {
    const body = sent({ tools: [f], tool_choice: 'none' })
    expect(body).not.toHaveProperty('tools')
    expect(body).not.toHaveProperty('tool_choice')
  })

  it('stay despite such a choice when the history calls them', () => {
    const messages = [user, { role: 'assistant' as const, tool_calls: [call('a')] }, result('a')]
    expect(sent({ messages, tools: [f], tool_choice: 'none' })).toMatchObject({
      tools: [{ name: 'f' }],
      tool_choice: { type: 'none' },
    })
  })

  it.each([
    [undefined, { type: 'auto', disable_parallel_tool_use: true }],
    ['required', { type: 'any', disable_parallel_tool_use: true }],
  ])('are called one at a time when asked to, chosen by %j', (tool_choice, expected) => {
    expect(sent({ tools: [f], tool_choice, parallel_tool_calls: false }).tool_choice).toEqual(expected)
  })

  it('a choice without tools is dropped', () => {
    expect(sent({ tool_choice: 'required', parallel_tool_calls: false })).not.toHaveProperty('tool_choice')
  })
})

describe('media', () => {
  const content = (part: unknown) => sent({ messages: [{ role: 'user', content: [text('see'), part] } as never] })

  it.each([
    ['data:image/png;base64,AA==', { type: 'base64', media_type: 'image/png', data: 'AA==' }],
    ['data:image/png;name=a;base64,AA==', { type: 'base64', media_type: 'image/png', data: 'AA==' }],
    ['https://example.com/a.png', { type: 'url', url: 'https://example.com/a.png' }],
  ])('at %s are images', (url, source) => {
    for (const type of ['image_url', 'image']) {
      expect(content({ type, image_url: { url } }).messages[0].content[1]).toEqual({ type: 'image', source })
    }
  })

  it('of a file are documents', () => {
    const file = { file_data: 'data:application/pdf;base64,AA==', filename: 'a.pdf' }
    expect(content({ type: 'file', file }).messages[0].content[1]).toEqual({
      type: 'document',
      title: 'a.pdf',
      source: { type: 'base64', media_type: 'application/pdf', data: 'AA==' },
    })
  })

  it('inside the result of a tool stay there', () => {
    const image = { type: 'image_url' as const, image_url: { url: 'https://a/b' } }
    const messages = [
      { role: 'assistant' as const, tool_calls: [call('a')] },
      { role: 'tool' as const, tool_call_id: 'a', content: [image] },
    ]
    expect(sent({ messages }).messages[1].content[0].content).toEqual([
      { type: 'image', source: { type: 'url', url: 'https://a/b' } },
    ])
  })

  it.each([
    [{ type: 'input_audio', input_audio: { data: 'AA==' } }, 'messages[0].content[1]'],
    [{ type: 'video_url', video_url: { url: 'x' } }, 'messages[0].content[1]'],
    [{ type: 'file', file: { file_id: 'x' } }, 'messages[0].content[1].file'],
    [{ type: 'hologram\n' }, 'messages[0].content[1]'],
    [{ type: 'image_url', image_url: { url: 'ftp://a' } }, 'messages[0].content[1].image_url.url'],
  ])('that the format has no word for are refused: %j', (part, param) => {
    expect(() => content(part)).toThrow(expect.objectContaining({ kind: 'invalid_request', details: { param } }))
  })
})

describe('thinking', () => {
  const thinking = { type: 'enabled', budget_tokens: 1024 }

  it('goes along when the request carries the switch', () => {
    expect(sent({ thinking }).thinking).toEqual(thinking)
    expect(sent({ thinking: { type: 'strange' } })).not.toHaveProperty('thinking')
    expect(sent({ thinking: true })).not.toHaveProperty('thinking')
  })

  it('is left out where the last answer called a tool: its thoughts are not there to be handed back', () => {
    const messages = [user, { role: 'assistant' as const, tool_calls: [call('a')] }, result('a')]
    expect(sent({ messages, thinking, tools: [f] })).not.toHaveProperty('thinking')
    expect(sent({ messages, thinking: { type: 'disabled' }, tools: [f] }).thinking).toEqual({ type: 'disabled' })
  })

  it('and the form of the answer are set as the format sets them', () => {
    const schema = { type: 'object' }
    const response_format = { type: 'json_schema' as const, json_schema: { name: 'n', schema } }
    expect(sent({ reasoning_effort: 'low', response_format }).output_config).toEqual({
      effort: 'low',
      format: { type: 'json_schema', schema },
    })
    expect(sent({ reasoning_effort: 'none', response_format: 'json_object' })).not.toHaveProperty('output_config')
  })
})

it('makes a request of the format of any conversation, its texts in order, roles in turns', () => {
  const message = fc.oneof(
    fc.record({ role: fc.constantFrom('system', 'developer', 'user', 'assistant'), content: fc.string() }),
    fc.record({
      role: fc.constant('assistant'),
      tool_calls: fc.array(fc.record({ id: fc.string(), name: fc.string() })),
    }),
    fc.record({ role: fc.constant('tool'), tool_call_id: fc.string(), content: fc.string() }),
  )
  fc.assert(
    fc.property(fc.array(message, { minLength: 1 }), (drawn) => {
      const messages = drawn.map((entry) =>
        'tool_calls' in entry
          ? { ...entry, tool_calls: entry.tool_calls.map(({ id, name }) => call(id, `f${name}`)) }
          : entry,
      )
      const body = chatToMessages({ messages } as ChatCompletionRequest, 'm')
      const roles = body.messages.map(({ role }) => role)
      expect(roles.some((role, index) => role === roles[index + 1])).toBe(false)
      if (roles.length > 0) parseBody(messagesRequest, JSON.parse(new TextDecoder().decode(encodeExactJson(body))))
    }),
  )
})

function text(value: string) {
  return { type: 'text' as const, text: value }
}

function result(id: string) {
  return { role: 'tool' as const, tool_call_id: id, content: 'x' }
}
