import { parseBody } from '@svc/wire'
import { type ChatCompletionRequest, chatCompletionRequest } from '@svc/wire/openai'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { chatToCompatible } from './chat-to-compatible.ts'

const user = { role: 'user' as const, content: 'hi' }
const f = { type: 'function' as const, function: { name: 'f' } }

function sent(fields: Partial<ChatCompletionRequest>) {
  const body = JSON.parse(JSON.stringify(chatToCompatible({ messages: [user], ...fields }, 'm')))
  parseBody(chatCompletionRequest, body)
  return body
}

describe('a request of the compatible format', () => {
  it('is the model and the conversation', () => {
    expect(sent({ model: 'mine' })).toEqual({ model: 'm', messages: [user] })
  })

  it('never carries sampling parameters that the newest models refuse', () => {
    expect(sent({ temperature: 0.5, top_p: 0.5, n: 2, top_k: 1, user: 'u', grammar: 'g' })).toEqual(sent({}))
  })

  it.each([
    [{ max_tokens: 5 }, { max_completion_tokens: 5 }],
    [{ max_tokens: 5, max_completion_tokens: 6 }, { max_completion_tokens: 6 }],
    [{ max_tokens: 0 }, {}],
    [{ frequency_penalty: 0, presence_penalty: 0 }, {}],
    [
      { frequency_penalty: 0.5, presence_penalty: -1 },
      { frequency_penalty: 0.5, presence_penalty: -1 },
    ],
    [{ stop: 'x' }, { stop: 'x' }],
    [{ stop: [] }, {}],
    [{ stop: null }, {}],
    [{ response_format: 'json_object' as const }, { response_format: { type: 'json_object' } }],
    [{ reasoning_effort: 'low' }, { reasoning_effort: 'low' }],
    [{ stream: false }, {}],
  ])('of %j holds %j', (fields, expected) => {
    expect(sent(fields)).toEqual({ model: 'm', messages: [user], ...expected })
  })

  it('asks for usage in every stream', () => {
    expect(sent({ stream: true, stream_options: { include_usage: false } })).toMatchObject({
      stream: true,
      stream_options: { include_usage: true },
    })
  })

  it.each([
    ['auto', 'auto'],
    ['any', 'required'],
    ['none', 'none'],
    [{ type: 'function' as const, name: 'f' }, f],
    ['{"name":"f"}', f],
    ['{broken', undefined],
  ])('chooses tools by %j as %j', (tool_choice, expected) => {
    expect(sent({ tools: [f], tool_choice, parallel_tool_calls: false })).toEqual({
      ...sent({}),
      tools: [f],
      parallel_tool_calls: false,
      ...(expected === undefined ? {} : { tool_choice: expected }),
    })
  })

  it('has no choice where there are no tools', () => {
    expect(sent({ tools: [], tool_choice: 'auto', parallel_tool_calls: true })).toEqual(sent({}))
  })

  it('has calls and results in the newer form', () => {
    const messages = [
      user,
      { role: 'assistant' as const, function_call: { name: 'f' }, reasoning: 'hm' },
      { role: 'function' as const, name: 'f', content: '1' },
    ]
    expect(sent({ messages, functions: [f.function], function_call: { name: 'f' } })).toEqual({
      model: 'm',
      messages: [
        user,
        {
          role: 'assistant',
          content: null,
          tool_calls: [{ id: 'call_1', type: 'function', function: { name: 'f', arguments: '{}' } }],
        },
        { role: 'tool', tool_call_id: 'call_1', content: '1' },
      ],
      tools: [f],
      tool_choice: f,
    })
  })

  it('keeps names and parts, media under the names that are known upstream', () => {
    const parts = [
      { type: 'text', text: 'a', x_vendor: 1 },
      { type: 'image', image_url: { url: 'https://a/b' } },
      { type: 'constructor', rays: 2 },
    ]
    const messages = [{ role: 'user', name: 'ada', content: parts }] as ChatCompletionRequest['messages']
    expect(sent({ messages }).messages).toEqual([
      { role: 'user', name: 'ada', content: [parts[0], { ...parts[1], type: 'image_url' }, parts[2]] },
    ])
  })
})

it('is idempotent: a second translation changes nothing', () => {
  const message = fc.record({
    role: fc.constantFrom('system', 'user', 'assistant', 'tool'),
    content: fc.oneof(fc.string(), fc.constant(null)),
    tool_call_id: fc.string(),
  })
  fc.assert(
    fc.property(fc.array(message), fc.boolean(), (messages, stream) => {
      const once = chatToCompatible({ messages, stream } as ChatCompletionRequest, 'm')
      expect(chatToCompatible(once, 'm')).toEqual(once)
    }),
  )
})
