import { parseBody } from '@svc/wire'
import { type MessagesRequest, messagesRequest } from '@svc/wire/messages'
import { chatCompletionRequest } from '@svc/wire/openai'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { chatToMessages } from './chat-to-messages.ts'
import { messagesToChat } from './messages-to-chat.ts'

const user = { role: 'user' as const, content: 'hi' }
const image = { type: 'image' as const, source: { type: 'base64' as const, media_type: 'image/png', data: 'AA==' } }

function chat(fields: Partial<MessagesRequest>) {
  const request = messagesToChat({ max_tokens: 5, messages: [user], ...fields })
  parseBody(chatCompletionRequest, JSON.parse(JSON.stringify(request)))
  return request
}

describe('a messages request in the chat format', () => {
  it('keeps its options', () => {
    expect(
      chat({
        model: 'm',
        system: [
          { type: 'text', text: 'a' },
          { type: 'text', text: 'b' },
        ],
        stop_sequences: ['x'],
        temperature: 0.5,
        top_p: 0.5,
        top_k: 3,
        stream: true,
        thinking: { type: 'enabled', budget_tokens: 1024 },
        output_config: { effort: 'low', format: { type: 'json_schema', schema: { type: 'object' } } },
        metadata: { user_id: 'u' },
      }),
    ).toEqual({
      model: 'm',
      messages: [{ role: 'system', content: 'a\n\nb' }, user],
      max_completion_tokens: 5,
      stop: ['x'],
      temperature: 0.5,
      top_p: 0.5,
      top_k: 3,
      stream: true,
      thinking: { type: 'enabled', budget_tokens: 1024 },
      reasoning_effort: 'low',
      response_format: { type: 'json_schema', json_schema: { schema: { type: 'object' } } },
    })
  })

  it.each([
    [{ type: 'auto' as const }, 'auto', undefined],
    [{ type: 'any' as const, disable_parallel_tool_use: true }, 'required', false],
    [{ type: 'none' as const }, 'none', undefined],
    [{ type: 'tool' as const, name: 'f' }, { type: 'function', function: { name: 'f' } }, undefined],
  ])('chooses tools by %j as %j', (tool_choice, expected, parallel) => {
    const request = chat({ tools: [{ name: 'f', input_schema: { type: 'object' } }], tool_choice })
    expect(request.tools).toEqual([{ type: 'function', function: { name: 'f', parameters: { type: 'object' } } }])
    expect(request.tool_choice).toEqual(expected)
    expect(request.parallel_tool_calls).toBe(parallel)
  })

  it("makes each result of a tool a message of its own, before the user's text", () => {
    const messages: MessagesRequest['messages'] = [
      {
        role: 'assistant',
        content: [
          { type: 'thinking', thinking: 'hm', signature: 's' },
          { type: 'redacted_thinking', data: 'x' },
          { type: 'text', text: 'let me see' },
          { type: 'tool_use', id: 'a', name: 'f', input: { x: 1 } },
        ],
      },
      {
        role: 'user',
        content: [
          { type: 'tool_result', tool_use_id: 'a', content: [{ type: 'text', text: '1' }] },
          { type: 'tool_result', tool_use_id: 'b' },
          { type: 'text', text: 'and?' },
          image,
        ],
      },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'c', content: 'x' }] },
    ]
    expect(chat({ messages }).messages).toEqual([
      {
        role: 'assistant',
        content: 'let me see',
        reasoning: 'hm',
        tool_calls: [{ id: 'a', type: 'function', function: { name: 'f', arguments: '{"x":1}' } }],
      },
      { role: 'tool', tool_call_id: 'a', content: '1' },
      { role: 'tool', tool_call_id: 'b', content: '' },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'and?' },
          { type: 'image_url', image_url: { url: 'data:image/png;base64,AA==' } },
        ],
      },
      { role: 'tool', tool_call_id: 'c', content: 'x' },
    ])
  })

  it('has documents as text or as files', () => {
    const pdf = { type: 'base64' as const, media_type: 'application/pdf', data: 'AA==' }
    const content = [
      { type: 'document' as const, source: { type: 'text' as const, data: 'plain' } },
      { type: 'document' as const, source: pdf, title: 'a.pdf' },
    ]
    expect(chat({ messages: [{ role: 'user', content }] }).messages[0]?.content).toEqual([
      { type: 'text', text: 'plain' },
      { type: 'file', file: { file_data: 'data:application/pdf;base64,AA==', filename: 'a.pdf' } },
    ])
  })

  it.each([
    [{ type: 'hologram' }, 'messages[0].content[0]'],
    [{ type: 'image', source: { type: 'file', file_id: 'f' } }, 'messages[0].content[0].source'],
    [{ type: 'tool_result', tool_use_id: 'a', content: [{ type: 'search' }] }, 'messages[0].content[0].content[0]'],
  ])('refuses content that it cannot express: %j', (block, param) => {
    const messages = [{ role: 'user', content: [block] }] as MessagesRequest['messages']
    expect(() => chat({ messages })).toThrow(expect.objectContaining({ kind: 'invalid_request', details: { param } }))
  })

  it('refuses tools that a vendor runs', () => {
    const tools = [{ type: 'web_search_20250305', name: 'web_search' }]
    expect(() => chat({ tools })).toThrow(expect.objectContaining({ details: { param: 'tools[0].type' } }))
  })
})

it('comes back as it was from the chat format', () => {
  const id = fc.string({ minLength: 1, unit: fc.constantFrom(...'abcXYZ019_-') })
  const words = fc.string({ minLength: 1 })
  const input = fc.dictionary(fc.string({ unit: fc.constantFrom(...'abc') }), fc.oneof(fc.string(), fc.integer()))
  const url = fc.constant({ type: 'url' as const, url: 'https://example.com/a.png' })
  const turn = fc.tuple(
    fc.record({
      text: words,
      media: fc.option(fc.record({ type: fc.constant('image' as const), source: url })),
    }),
    fc.record({
      text: fc.option(words),
      uses: fc.uniqueArray(fc.record({ id, input }), { selector: (use) => use.id }),
    }),
  )
  const toMessages = (turns: typeof turn extends fc.Arbitrary<infer T> ? T[] : never): MessagesRequest['messages'] =>
    turns.flatMap(([asked, { text, uses }]) => {
      const results = uses.map((use) => ({ type: 'tool_result' as const, tool_use_id: use.id, content: 'x' }))
      const spoken = text === null ? [] : [{ type: 'text' as const, text }]
      const answer = [...spoken, ...uses.map((use) => ({ type: 'tool_use' as const, name: 'f', ...use }))]
      return [
        {
          role: 'user' as const,
          content: [{ type: 'text' as const, text: asked.text }, ...(asked.media ? [asked.media] : [])],
        },
        ...(answer.length > 0 ? [{ role: 'assistant' as const, content: answer }] : []),
        ...(results.length > 0 ? [{ role: 'user' as const, content: results }] : []),
      ]
    })
  const canonical = (messages: MessagesRequest['messages']) =>
    messages.reduce<{ role: string; content: unknown[] }[]>((turns, { role, content }) => {
      const blocks = typeof content === 'string' ? [{ type: 'text', text: content }] : content
      const last = turns.at(-1)
      if (last?.role === role) last.content.push(...blocks)
      else turns.push({ role, content: [...blocks] })
      return turns
    }, [])
  fc.assert(
    fc.property(fc.array(turn, { minLength: 1 }), fc.option(words), (turns, system) => {
      const request = { model: 'm', max_tokens: 5, messages: toMessages(turns), ...(system?.trim() ? { system } : {}) }
      parseBody(messagesRequest, request)
      const back = chatToMessages(messagesToChat(request), 'm')
      expect({ ...back, messages: canonical(back.messages) }).toEqual({
        ...request,
        messages: canonical(request.messages),
      })
    }),
  )
})
