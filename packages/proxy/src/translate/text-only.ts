import { SvcError } from '@svc/errors'
import type { ChatCompletionRequest, ChatRequestMessage } from '@svc/wire/openai'
import { contentText, holdsMedia } from './content-text.ts'

/**
 * What of a chat request is text (§6.5): the texts of its messages and how to go on from them. Calls, tools, images and
 * all else are left out; what a tool gave is something the user says. Messages that hold nothing then are left out too.
 *
 * @throws {SvcError} `invalid_request`, code `text_only`, when nothing is left of what the user said last
 */
export function toTextOnly(chat: ChatCompletionRequest): ChatCompletionRequest {
  checkLastTurn(chat.messages)
  return {
    model: chat.model,
    messages: chat.messages.map(toTextMessage).filter(({ content }) => content !== ''),
    max_tokens: chat.max_tokens,
    max_completion_tokens: chat.max_completion_tokens,
    frequency_penalty: chat.frequency_penalty,
    presence_penalty: chat.presence_penalty,
    stop: chat.stop,
    stream: chat.stream,
  }
}

function toTextMessage({ role, content, name }: ChatRequestMessage): ChatRequestMessage {
  const text = contentText(content)
  if (role === 'tool' || role === 'function') return { role: 'user', content: text }
  return { role, content: text, ...(name == null ? {} : { name }) }
}

/** A turn is all that the user said in a row. */
function checkLastTurn(messages: readonly ChatRequestMessage[]): void {
  const end = messages.findLastIndex(({ role }) => role === 'user')
  if (end === -1) return
  const start = messages.findLastIndex(({ role }, index) => index < end && role !== 'user') + 1
  const turn = messages.slice(start, end + 1)
  if (turn.some(({ content }) => contentText(content).trim() !== '')) return
  if (!turn.some(({ content }) => holdsMedia(content))) return
  throw new SvcError('invalid_request', `messages[${end}].content: this model takes text only`, {
    code: 'text_only',
    details: { param: `messages[${end}].content` },
  })
}
