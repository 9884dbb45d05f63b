import type { ChatRequestMessage } from '@svc/wire/openai'

/** A call of a tool in the history of a conversation. */
export interface HistoryCall {
  readonly id: string
  readonly name: string
  /** JSON text, as it came. */
  readonly arguments: string
}

/** A message in the one form that covers all older forms. */
export interface HistoryMessage {
  readonly role: 'system' | 'developer' | 'user' | 'assistant'
  readonly content: ChatRequestMessage['content']
  readonly name: string | undefined
  readonly calls: readonly HistoryCall[]
}

/** The result of a tool. */
export interface HistoryResult {
  readonly role: 'tool'
  readonly content: ChatRequestMessage['content']
  /** The id of its call. */
  readonly callId: string
}

/** A message of the history. */
export type HistoryEntry = HistoryMessage | HistoryResult

/**
 * Converts messages to the newer form of calls and results: a `function_call` is a call, a `function` message its
 * result. Calls without an id get one. Results without an id go to the first open call of their name. A result without
 * an open call becomes the user's text.
 */
export function toHistory(messages: readonly ChatRequestMessage[]): HistoryEntry[] {
  const open: HistoryCall[] = []
  let made = 0
  const toCalls = (message: ChatRequestMessage): HistoryCall[] => {
    const { tool_calls: calls, function_call: legacy } = message
    const all = (calls ?? []).map(({ id, function: called }) => ({ id, ...called }))
    if (all.length === 0 && legacy != null) all.push({ id: undefined, ...legacy })
    return all.map(({ id, name, arguments: given }) => {
      made += 1
      return { id: id == null || id === '' ? `call_${made}` : id, name, arguments: given ?? '' }
    })
  }
  const takeOpen = ({ tool_call_id: id, name }: ChatRequestMessage): string | undefined => {
    if (id != null && id !== '') return id
    const place = open.findIndex((call) => name == null || name === '' || call.name === name)
    return place === -1 ? undefined : open.splice(place, 1)[0]?.id
  }
  return messages.map((message): HistoryEntry => {
    const { role, content } = message
    if (role === 'tool' || role === 'function') {
      const callId = takeOpen(message)
      if (callId === undefined) return { role: 'user', content, name: undefined, calls: [] }
      return { role: 'tool', content, callId }
    }
    const calls = role === 'assistant' ? toCalls(message) : []
    open.push(...calls)
    return { role, content, name: message.name ?? undefined, calls }
  })
}
