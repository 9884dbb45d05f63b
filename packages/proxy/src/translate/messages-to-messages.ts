import type { MessagesMessage, MessagesRequest } from '@svc/wire/messages'
import { dropAbsent } from '../fields.ts'
import { dropBlankWords, type MessagesOptions } from './chat-to-messages.ts'

/**
 * Builds the request for an upstream of the messages format from a request of the same format: conversation and tools
 * as they came, with cache marks, signatures of thoughts and titles of documents. Fields about the client and its
 * account are left out.
 */
export function messagesToMessages(
  request: MessagesRequest,
  model: string,
  { sendsSampling = false }: MessagesOptions = {},
): MessagesRequest {
  const { max_tokens, messages, system, tools, tool_choice, stop_sequences, output_config, stream } = request
  const { temperature, top_p, top_k } = request
  return {
    model,
    max_tokens,
    messages,
    ...(sendsSampling ? dropAbsent({ temperature, top_p, top_k }) : {}),
    ...dropAbsent({
      system,
      stop_sequences: dropBlankWords(stop_sequences ?? []),
      tools,
      tool_choice,
      thinking: mayThink(messages) ? request.thinking : undefined,
      output_config,
      stream: stream === true ? true : undefined,
    }),
  }
}

/** Whether a request can go on as it came: instructions between the turns must be joined above. */
export function isPlainConversation({ messages }: MessagesRequest): boolean {
  return messages.every(({ role }) => role !== 'system')
}

/** While thinking is on, upstreams refuse calls without their thoughts. */
function mayThink(messages: readonly MessagesMessage[]): boolean {
  const last = messages.findLast(({ role }) => role === 'assistant')
  if (last === undefined || typeof last.content === 'string') return true
  const types = new Set(last.content.map(({ type }) => type))
  return !types.has('tool_use') || types.has('thinking') || types.has('redacted_thinking')
}
