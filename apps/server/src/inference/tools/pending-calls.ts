import type { ChatMessage, ToolCall } from '../core/request.ts'

/** Calls that ended an earlier reply and wait for the consent of the caller. */
export interface PendingCalls {
  /** Place of the message of the assistant that has them. */
  readonly place: number
  readonly calls: readonly ToolCall[]
}

/**
 * Finds the calls of the last message of the assistant that no message answers.
 *
 * @param isServed whether this server runs the tool
 */
export function findPendingCalls(
  messages: readonly ChatMessage[],
  isServed: (name: string) => boolean,
): PendingCalls | undefined {
  const place = messages.findLastIndex(({ role }) => role === 'assistant')
  const calls = messages[place]?.toolCalls
  if (calls === undefined) return undefined
  const answered = new Set(messages.slice(place + 1).map(({ toolCallId }) => toolCallId))
  const pending = calls.filter(({ id, name }) => isServed(name) && !answered.has(id))
  return pending.length === 0 ? undefined : { place: lastAnswer(messages, place), calls: pending }
}

/** Gives the place of the last answer that follows a message, or of the message itself. */
function lastAnswer(messages: readonly ChatMessage[], place: number): number {
  const next = messages.findIndex(({ role }, index) => index > place && role !== 'tool' && role !== 'function')
  return next < 0 ? messages.length - 1 : next - 1
}
