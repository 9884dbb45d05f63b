import { parseBody } from '@svc/wire'
import { type ChatCompletionRequest, chatCompletionRequest } from '@svc/wire/openai'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type CompatibleOptions, chatToCompatible } from './chat-to-compatible.ts'

const user = { role: 'user' as const, content: 'hi' }
const f = { type: 'function' as const, function: { name: 'f' } }

function sent(fields: Partial<ChatCompletionRequest>, options?: CompatibleOptions) {
  const body = JSON.parse(JSON.stringify(chatToCompatible({ messages: [user], ...fields }, 'm', options)))
  parseBody(chatCompletionRequest, body)
  return body
}

describe('a request of the compatible format', () => {
  it('is the model and the conversation', () => {
    expect(sent({ model: 'mine' })).toEqual({ model: 'm', messages: [user] })
  })

  const sampling = { temperature: 0.5, top_p: 0.5, top_k: 1, min_p: 0.1, seed: 7 }

  it('carries sampling parameters, which the newest models refuse, only where it is told to', () => {
    const fields = { ...sampling, n: 2, user: 'u', grammar: 'g' }
    expect(sent(fields)).toEqual(sent({}))
    expect(sent(fields, { sendsSampling: true })).toEqual({ ...sent({}), ...sampling })
    expect(sent({ temperature: null }, { sendsSampling: true })).toEqual(sent({}))
  })

  it('names its limit and asks for figures as its upstream knows it', () => {
    const fields = { max_tokens: 5, stream: true }
    expect(sent(fields, { limitField: 'max_tokens', asksUsage: false })).toEqual({
      ...sent({}),
      max_tokens: 5,
      stream: true,
    })
  })

  describe('with media in results of tools', () => {
    const picture = (name: string) => ({
      type: 'image_url' as const,
      image_url: { url: `data:image/png;base64,${name}` },
    })
    const file = { type: 'file' as const, file: { file_data: 'data:application/pdf;base64,AA==' } }
    const text = (given: string) => ({ type: 'text' as const, text: given })
    const call = (id: string) => ({ id, type: 'function' as const, function: { name: 'f', arguments: '{}' } })
    const asked = { role: 'assistant' as const, content: null, tool_calls: [call('a'), call('b')] }
    const result = (tool_call_id: string, content: ChatCompletionRequest['messages'][number]['content']) => ({
      role: 'tool' as const,
      tool_call_id,
      content,
    })
    const plain = (tool_call_id: string, content: string) => ({ role: 'tool', tool_call_id, content })

    it.each<[string, ChatCompletionRequest['messages'], unknown[]]>([
      [
        'into a turn of their own at the end',
        [result('a', [text('one'), picture('A'), text('two')])],
        [plain('a', 'one\n\ntwo'), { role: 'user', content: [picture('A')] }],
      ],
      [
        'behind all results',
        [result('a', [picture('A')]), result('b', [picture('B'), file])],
        [plain('a', ''), plain('b', ''), { role: 'user', content: [picture('A'), picture('B'), file] }],
      ],
      [
        "before the user's next words",
        [result('a', [picture('A')]), { role: 'user', content: 'and?' }],
        [plain('a', ''), { role: 'user', content: [picture('A'), text('and?')] }],
      ],
      [
        "before the user's next parts",
        [result('a', [picture('A')]), { role: 'user', content: [text('and?'), picture('C')] }],
        [plain('a', ''), { role: 'user', content: [picture('A'), text('and?'), picture('C')] }],
      ],
      [
        "before the model's next turn",
        [result('a', [picture('A')]), { role: 'assistant', content: 'I see' }],
        [plain('a', ''), { role: 'user', content: [picture('A')] }, { role: 'assistant', content: 'I see' }],
      ],
      [
        'nowhere without any',
        [result('a', [text('one'), text('two')]), { role: 'user', content: 'and?' }],
        [
          { ...plain('a', ''), content: [text('one'), text('two')] },
          { role: 'user', content: 'and?' },
        ],
      ],
    ])('moves them %s', (_, messages, expected) => {
      expect(sent({ messages: [asked, ...messages] }).messages.slice(1)).toEqual(expected)
    })
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
