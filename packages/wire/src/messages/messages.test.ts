import { SvcError } from '@svc/errors'
import { describe, expect, it } from 'vitest'
import { parseBody } from '../parse-body.ts'
import { decodeSse } from '../sse/decode.ts'
import { encodeSseJson } from '../sse/encode.ts'
import { type MessagesEvent, messagesEvent } from './events.ts'
import { isKnownMessagesBlock } from './known-blocks.ts'
import { messagesReply } from './reply.ts'
import { messagesCountRequest, messagesRequest } from './request.ts'

const messages = [{ role: 'user', content: 'hi' }]

/** The message for the client, or `ok`. */
function verdict(
  body: unknown,
  schema: typeof messagesRequest | typeof messagesCountRequest = messagesRequest,
): string {
  try {
    parseBody(schema, body)
    return 'ok'
  } catch (error) {
    if (SvcError.is(error) && error.kind === 'invalid_request') return String(error.details?.param ?? '(body)')
    throw error
  }
}

const withFields = (fields: object): string => verdict({ max_tokens: 5, messages, ...fields })
const withBlock = (block: object): string => withFields({ messages: [{ role: 'user', content: [block] }] })

describe('a messages request is accepted', () => {
  it('with every field an official client may send', () => {
    const cache_control = { type: 'ephemeral', ttl: '5m' }
    const body = {
      model: 'demo',
      max_tokens: 1,
      system: [{ type: 'text', text: 'be brief', cache_control }],
      messages: [
        {
          role: 'user',
          content: [
            { type: 'text', text: 'what is this?', citations: null, cache_control },
            { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AA==' } },
            { type: 'image', source: { type: 'url', url: 'https://example.com/a.png' } },
            { type: 'image', source: { type: 'file', file_id: 'f' } },
            { type: 'document', source: { type: 'text', media_type: 'text/plain', data: 'x' }, title: 't' },
            { type: 'document', source: { type: 'content', content: [] } },
            { type: 'hologram', rays: [1, 2] },
          ],
        },
        {
          role: 'assistant',
          content: [
            { type: 'thinking', thinking: 'hm', signature: 's' },
            { type: 'redacted_thinking', data: 'x' },
            { type: 'tool_use', id: 'c', name: 'f', input: { a: 1 } },
          ],
        },
        { role: 'system', content: 'be kind' },
        {
          role: 'user',
          content: [
            { type: 'tool_result', tool_use_id: 'c', is_error: true },
            { type: 'tool_result', tool_use_id: 'c', content: 'x' },
            {
              type: 'tool_result',
              tool_use_id: 'c',
              content: [{ type: 'text', text: 'x' }, { type: 'search_result' }],
            },
          ],
        },
      ],
      tools: [
        { name: 'f', description: 'd', input_schema: { type: 'object' }, strict: true },
        { type: 'custom', name: 'g', input_schema: { type: 'object' }, cache_control },
        { type: 'web_search_20250305', name: 'web_search', max_uses: 1 },
      ],
      tool_choice: { type: 'tool', name: 'f', disable_parallel_tool_use: true },
      thinking: { type: 'enabled', budget_tokens: 1024, display: 'summarized' },
      output_config: { effort: 'low', format: { type: 'json_schema', schema: {} } },
      stop_sequences: ['x'],
      stream: true,
      temperature: 1,
      top_p: 0.5,
      top_k: 5,
      metadata: { user_id: null },
      service_tier: 'auto',
      container: null,
    }
    expect(verdict(body)).toBe('ok')
    expect(verdict({ messages: body.messages, system: 'x' }, messagesCountRequest)).toBe('ok')
  })

  it.each([{ type: 'adaptive' }, { type: 'between_tools' }, { type: 'disabled' }])('with thinking %j', (thinking) => {
    expect(withFields({ thinking })).toBe('ok')
  })

  it('with nulls for fields that a client leaves unset', () => {
    const unset = ['model', 'system', 'tools', 'tool_choice', 'thinking', 'stop_sequences', 'stream', 'temperature']
    expect(withFields(Object.fromEntries(unset.map((field) => [field, null])))).toBe('ok')
  })
})

describe('a messages request is refused', () => {
  it.each([
    [{ max_tokens: 0 }, 'max_tokens'],
    [{ max_tokens: 1.5 }, 'max_tokens'],
    [{ max_tokens: undefined }, 'max_tokens'],
    [{ messages: [] }, 'messages'],
    [{ messages: [{ role: 'tool', content: 'x' }] }, 'messages[0].role'],
    [{ messages: [{ role: 'user' }] }, 'messages[0].content'],
    [{ system: [{ type: 'image' }] }, 'system[0].type'],
    [{ tools: [{ input_schema: {} }] }, 'tools[0].name'],
    [{ tool_choice: 'auto' }, 'tool_choice'],
    [{ tool_choice: { type: 'tool' } }, 'tool_choice.name'],
    [{ thinking: { type: 'enabled', budget_tokens: -1 } }, 'thinking.budget_tokens'],
    [{ temperature: -1 }, 'temperature'],
    [{ top_p: 2 }, 'top_p'],
    [{ stop_sequences: 'x' }, 'stop_sequences'],
    [{ stop_sequences: ['x'.repeat(4097)] }, 'stop_sequences[0]'],
    [{ stop_sequences: Array.from({ length: 129 }, () => 'x') }, 'stop_sequences'],
  ])('%j', (fields, param) => {
    expect(withFields(fields)).toBe(param)
  })

  it.each([
    [{ type: 'text' }, 'messages[0].content[0].text'],
    [{ type: 'image', source: { type: 'base64', data: 'AA==' } }, 'messages[0].content[0].source.media_type'],
    [{ type: 'image', source: { type: 'url' } }, 'messages[0].content[0].source.url'],
    [{ type: 'tool_use', id: 'c', name: 'f', input: 5 }, 'messages[0].content[0].input'],
    [{ type: 'tool_result', content: 'x' }, 'messages[0].content[0].tool_use_id'],
    [{ type: 'tool_result', tool_use_id: 'c', content: [{ type: 'text' }] }, 'messages[0].content[0].content[0].text'],
  ])('for the field of a block that is wrong: %j', (block, param) => {
    expect(withBlock(block)).toBe(param)
  })
})

describe('isKnownMessagesBlock', () => {
  it('tells blocks that this server reads from others', () => {
    expect(isKnownMessagesBlock({ type: 'text', text: 'x' })).toBe(true)
    expect(isKnownMessagesBlock({ type: 'hologram' })).toBe(false)
  })
})

const reply = {
  id: 'msg_1',
  type: 'message' as const,
  role: 'assistant' as const,
  model: 'demo',
  content: [
    { type: 'thinking' as const, thinking: 'hm', signature: 's' },
    { type: 'text' as const, text: 'x', citations: null },
    { type: 'tool_use' as const, id: 'c', name: 'f', input: { a: 1 } },
  ],
  stop_reason: 'tool_use' as const,
  stop_sequence: null,
  usage: { input_tokens: 1, output_tokens: 2 },
}

const EVENTS: readonly MessagesEvent[] = [
  { type: 'message_start', message: { ...reply, content: [], stop_reason: null } },
  { type: 'ping' },
  { type: 'content_block_start', index: 0, content_block: { type: 'thinking', thinking: '', signature: '' } },
  { type: 'content_block_delta', index: 0, delta: { type: 'thinking_delta', thinking: 'h\nm 👩‍👩‍👧' } },
  { type: 'content_block_delta', index: 0, delta: { type: 'signature_delta', signature: 's' } },
  { type: 'content_block_stop', index: 0 },
  { type: 'content_block_start', index: 1, content_block: { type: 'text', text: '' } },
  { type: 'content_block_delta', index: 1, delta: { type: 'text_delta', text: 'Grüße\u2028' } },
  { type: 'content_block_stop', index: 1 },
  { type: 'content_block_start', index: 2, content_block: { type: 'tool_use', id: 'c', name: 'f', input: {} } },
  { type: 'content_block_delta', index: 2, delta: { type: 'input_json_delta', partial_json: '{"a"' } },
  { type: 'content_block_stop', index: 2 },
  { type: 'message_delta', delta: { stop_reason: 'tool_use', stop_sequence: null }, usage: { output_tokens: 2 } },
  { type: 'message_stop' },
  { type: 'error', error: { type: 'api_error', message: 'x' } },
]

describe('replies and events', () => {
  it('are those of the format', () => {
    expect(messagesReply.parse(reply)).toEqual(reply)
    for (const event of EVENTS) expect(messagesEvent.parse(event)).toEqual(event)
    expect(messagesEvent.safeParse({ type: 'content_block_start', index: -1 }).success).toBe(false)
  })

  it('parse the same wherever the bytes of their stream are cut', async () => {
    const bytes = new TextEncoder().encode(EVENTS.map((event) => encodeSseJson(event, event.type)).join(''))
    for (let cut = 1; cut < bytes.length; cut += 1) {
      const seen: unknown[] = []
      for await (const { event, data } of decodeSse([bytes.subarray(0, cut), bytes.subarray(cut)])) {
        const parsed = messagesEvent.parse(JSON.parse(data))
        expect(parsed.type).toBe(event)
        seen.push(parsed)
      }
      expect(seen).toEqual(EVENTS)
    }
  })
})
