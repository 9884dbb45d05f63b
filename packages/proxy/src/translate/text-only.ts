import { SvcError } from '@svc/errors'
import type { ChatCompletionRequest, ChatRequestMessage } from '@svc/wire/openai'
import { holdsMedia, joinContentText } from './content-text.ts'
import { readSampling } from './sampling.ts'

/**
 * Reduces a chat request to its text (§6.5): the texts of its messages and its sampling fields. Drops calls, tools,
 * images and everything else; the result of a tool becomes the user's text. Drops messages that are empty then.
 *
 * @throws {SvcError} `invalid_request`, code `text_only`, when the user's last turn holds no text
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
    ...readSampling(chat),
    stop: chat.stop,
    stream: chat.stream,
  }
}

function toTextMessage({ role, content, name }: ChatRequestMessage): ChatRequestMessage {
  const text = joinContentText(content)
  if (role === 'tool' || role === 'function') return { role: 'user', content: text }
  return { role, content: text, ...(name == null ? {} : { name }) }
}

/** A turn is all consecutive messages of the user. */
function checkLastTurn(messages: readonly ChatRequestMessage[]): void {
  const end = messages.findLastIndex(({ role }) => role === 'user')
  if (end === -1) return
  const start = messages.findLastIndex(({ role }, index) => index < end && role !== 'user') + 1
  const turn = messages.slice(start, end + 1)
  if (turn.some(({ content }) => joinContentText(content).trim() !== '')) return
  if (!turn.some(({ content }) => holdsMedia(content))) return
  throw new SvcError('invalid_request', `messages[${end}].content: this model takes text only`, {
    code: 'text_only',
    details: { param: `messages[${end}].content` },
  })
}
