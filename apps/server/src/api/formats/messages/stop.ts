import type { MessagesStopReason } from '@svc/wire/messages'
import type { FinishReason } from '../../../inference/events.ts'

/** Why a message ended, in the words of its format. */
export interface Ending {
  readonly stop_reason: MessagesStopReason
  readonly stop_sequence: string | null
}

/** Watches the end of the text for a sequence that stopped it. */
export interface EndWatch {
  push(text: string): void
  /** Why the message ended; with the text at which its backend says that it did. */
  ending(reason: FinishReason, stopText?: string): Ending
}

/**
 * A watch for sequences. Not every backend says at which of them it stopped: then it is known only of those that are left
 * in the text, and with others the message ended as any turn does.
 */
export function watchEnd(sequences: readonly string[]): EndWatch {
  const longest = Math.max(0, ...sequences.map(({ length }) => length))
  let tail = ''
  return {
    push(text) {
      if (longest > 0) tail = (tail + text).slice(-longest)
    },
    ending(reason, stopText) {
      const isLast = (one: string): boolean => one === stopText || (stopText === undefined && tail.endsWith(one))
      const sequence = reason === 'stop' ? sequences.find(isLast) : undefined
      if (sequence !== undefined) return { stop_reason: 'stop_sequence', stop_sequence: sequence }
      return { stop_reason: REASONS[reason], stop_sequence: null }
    },
  }
}

const REASONS: Readonly<Record<FinishReason, MessagesStopReason>> = {
  stop: 'end_turn',
  length: 'max_tokens',
  tool_calls: 'tool_use',
  content_filter: 'refusal',
}
