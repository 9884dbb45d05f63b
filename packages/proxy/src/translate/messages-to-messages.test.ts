import { parseBody } from '@svc/wire'
import { type MessagesRequest, messagesRequest } from '@svc/wire/messages'
import { describe, expect, it } from 'vitest'
import { messagesToChat } from './messages-to-chat.ts'
import { createTranslator, type TranslatorOptions } from './translator.ts'

const user = { role: 'user' as const, content: 'hi' }
const mark = { cache_control: { type: 'ephemeral' } }

/** The request for the upstream; it must always match the schema of the format. */
function sent(fields: Partial<MessagesRequest>, options: Partial<TranslatorOptions> = {}) {
  const source = parseBody(messagesRequest, { model: 'mine', max_tokens: 5, messages: [user], ...fields })
  const translator = createTranslator({ provider: 'provider_b', mode: 'full', model: 'm', ...options })
  const body = JSON.parse(new TextDecoder().decode(translator.request(messagesToChat(source), source)))
  if (options.provider !== 'provider_a') parseBody(messagesRequest, body)
  return body
}

describe('a messages request for an upstream of the messages format', () => {
  const tool = { name: 'f', description: 'd', input_schema: { type: 'object' }, strict: true, ...mark }
  const conversation: Partial<MessagesRequest> = {
    system: [
      { type: 'text', text: 'be' },
      { type: 'text', text: 'brief', ...mark },
    ],
    tools: [tool],
    tool_choice: { type: 'tool', name: 'f', disable_parallel_tool_use: true },
    thinking: { type: 'enabled', budget_tokens: 1024 },
    output_config: { effort: 'max', format: { type: 'json_schema', schema: { type: 'object' } } },
    stop_sequences: ['x'],
    messages: [
      {
        role: 'user',
        content: [
          { type: 'text', text: 'one' },
          { type: 'text', text: 'two', ...mark },
          { type: 'document', source: { type: 'text', data: 'plain' }, title: 'a.txt', citations: { enabled: true } },
          { type: 'document', source: { type: 'base64', media_type: 'application/pdf', data: 'AA==' }, title: 'b.pdf' },
        ],
      },
      {
        role: 'assistant',
        content: [
          { type: 'thinking', thinking: 'hm', signature: 'sig-1' },
          { type: 'redacted_thinking', data: 'enc' },
          { type: 'text', text: 'let me see' },
          { type: 'tool_use', id: 'a', name: 'f', input: { x: 1 } },
        ],
      },
      {
        role: 'user',
        content: [
          {
            type: 'tool_result',
            tool_use_id: 'a',
            is_error: true,
            content: [
              { type: 'text', text: '1' },
              { type: 'image', source: { type: 'url', url: 'https://a/b' } },
            ],
            ...mark,
          },
        ],
      },
    ],
  }

  it('is the conversation as it came, without fields about the client', () => {
    expect(
      sent({
        ...conversation,
        metadata: { user_id: 'u' },
        service_tier: 'auto',
        temperature: 0.5,
        top_p: 0.5,
        top_k: 3,
      }),
    ).toEqual({ model: 'm', max_tokens: 5, ...conversation })
  })

  it('streams when asked to, and is sampled as its client wants only where told so', () => {
    const fields = { stream: true, temperature: 1.5, top_p: 0.5, top_k: 3 }
    expect(sent(fields)).toEqual({ model: 'm', max_tokens: 5, messages: [user], stream: true })
    expect(sent(fields, { sendsSampling: true })).toEqual({ model: 'm', max_tokens: 5, messages: [user], ...fields })
  })

  it.each<[string, Partial<MessagesRequest>, unknown]>([
    [
      'calls without thoughts',
      { messages: [user, turn({ type: 'tool_use', id: 'a', name: 'f', input: {} })] },
      undefined,
    ],
    [
      'calls with thoughts',
      {
        messages: [
          user,
          turn(
            { type: 'thinking', thinking: 'a', signature: 's' },
            { type: 'tool_use', id: 'a', name: 'f', input: {} },
          ),
        ],
      },
      { type: 'adaptive' },
    ],
    ['text alone', { messages: [user, turn({ type: 'text', text: 'a' })] }, { type: 'adaptive' }],
  ])('thinks after %s as the upstream allows', (_, fields, thinking) => {
    expect(sent({ ...fields, thinking: { type: 'adaptive' } }).thinking).toEqual(thinking)
  })

  it('leaves blank stop sequences out', () => {
    expect(sent({ stop_sequences: [' ', 'x'] }).stop_sequences).toEqual(['x'])
    expect(sent({ stop_sequences: [' '] })).not.toHaveProperty('stop_sequences')
  })

  it('has its instructions joined above where some stand between the turns', () => {
    const messages = [user, { role: 'system' as const, content: 'be brief' }, user]
    expect(sent({ system: 'be kind', messages })).toMatchObject({ system: 'be kind\n\nbe brief' })
  })

  it('is marked for the cache unless its client has marked it', () => {
    expect(JSON.stringify(sent({}, { cachePrompt: true }))).toContain('cache_control')
    expect(sent(conversation, { cachePrompt: true })).toEqual({ model: 'm', max_tokens: 5, ...conversation })
  })

  it('is its text alone in mode text, each block a paragraph', () => {
    expect(sent({ messages: conversation.messages?.slice(0, 1) ?? [] }, { mode: 'text' }).messages).toEqual([
      { role: 'user', content: 'one\n\ntwo\n\nplain' },
    ])
  })
})

function turn(...content: Exclude<MessagesRequest['messages'][number]['content'], string>) {
  return { role: 'assistant' as const, content }
}

describe('a messages request for an upstream of the compatible format', () => {
  it('has its text blocks as paragraphs, and nothing that the format does not know', () => {
    const body = sent(
      {
        system: [{ type: 'text', text: 'be brief', ...mark }],
        messages: [
          {
            role: 'user',
            content: [
              { type: 'text', text: 'one', ...mark },
              { type: 'text', text: 'two' },
            ],
          },
          turn({ type: 'text', text: 'three' }, { type: 'text', text: 'four' }),
        ],
        tools: [{ name: 'f', input_schema: {}, ...mark }],
      },
      { provider: 'provider_a' },
    )
    expect(body.messages.map(({ content }: { content: unknown }) => content)).toEqual([
      'be brief',
      'one\n\ntwo',
      'three\n\nfour',
    ])
    expect(JSON.stringify(body)).not.toContain('cache_control')
  })
})
