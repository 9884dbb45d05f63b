import { createTestCa, startUpstream, type TestCa, type Upstream, type UpstreamReply } from '@svc/test-kit'

/** A host of the tests that answers chats and messages, whole and streamed, with the text that it got. */
export interface AnsweringHost extends AsyncDisposable {
  readonly upstream: Upstream
  readonly ca: TestCa
}

/** Starts the host. Its certificate is for `localhost` and `127.0.0.1`. */
export async function startAnsweringHost(protocol: 'https' | 'h2', page = ''): Promise<AnsweringHost> {
  const ca = createTestCa()
  const upstream = await startUpstream({ protocol, ca, hosts: ['localhost', '127.0.0.1'] })
  upstream.replyWith((request) => {
    if (request.method !== 'POST') return { headers: { 'content-type': 'text/html' }, body: page }
    const { messages, stream = false } = JSON.parse(request.text()) as {
      readonly messages: readonly { readonly content: string }[]
      readonly stream?: boolean
    }
    const content = `got ${messages.at(-1)?.content ?? ''}`
    const isChat = request.path.startsWith('/v1/chat')
    if (stream)
      return {
        headers: { 'content-type': 'text/event-stream' },
        body: isChat ? streamChat(content) : streamMessage(content),
      }
    return json(isChat ? toChat(content) : toMessage([{ type: 'text', text: content }]))
  })
  return { upstream, ca, [Symbol.asyncDispose]: () => upstream.close() }
}

function json(value: object): UpstreamReply {
  return { headers: { 'content-type': 'application/json' }, body: JSON.stringify(value) }
}

function toChat(content: string) {
  const message = { role: 'assistant', content }
  return {
    id: 'c',
    object: 'chat.completion',
    created: 1,
    model: 'm',
    choices: [{ index: 0, finish_reason: 'stop', message }],
  }
}

function toMessage(content: readonly object[]) {
  const usage = { input_tokens: 1, output_tokens: 1 }
  return {
    id: 'm',
    type: 'message',
    role: 'assistant',
    model: 'm',
    content,
    stop_reason: 'end_turn',
    stop_sequence: null,
    usage,
  }
}

/** Streams one event for each character, so that tokens are cut everywhere. */
function streamChat(content: string): string[] {
  const chunk = { id: 'c', object: 'chat.completion.chunk', created: 1, model: 'm' }
  return [
    ...Array.from(
      content,
      (piece) => `data: ${JSON.stringify({ ...chunk, choices: [{ index: 0, delta: { content: piece } }] })}\n\n`,
    ),
    'data: [DONE]\n\n',
  ]
}

function streamMessage(content: string): string[] {
  const event = (type: string, fields: object): string =>
    `event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`
  return [
    event('message_start', { message: { ...toMessage([]), stop_reason: null } }),
    event('content_block_start', { index: 0, content_block: { type: 'text', text: '' } }),
    ...Array.from(content, (text) => event('content_block_delta', { index: 0, delta: { type: 'text_delta', text } })),
    event('content_block_stop', { index: 0 }),
    event('message_delta', { delta: { stop_reason: 'end_turn', stop_sequence: null }, usage: { output_tokens: 2 } }),
    event('message_stop', {}),
  ]
}
