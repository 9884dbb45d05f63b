import type { MessagesStopReason } from '@svc/wire/messages'
import type { FinishReason } from '../../../inference/core/events.ts'

/** Stop reason of a message in the format's words. */
export interface MessageStop {
  readonly stop_reason: MessagesStopReason
  readonly stop_sequence: string | null
}

/** Watches the end of the text for a stop sequence. */
export interface EndWatch {
  push(text: string): void
  /** Gives the stop reason, with the stop text that the backend reports. */
  end(reason: FinishReason, stopText?: string): MessageStop
}

/**
 * Creates a watch for stop sequences. Some backends do not report the sequence; it is then found only when it stays in
 * the text. Otherwise the message ends as a normal turn.
 */
export function watchEnd(sequences: readonly string[]): EndWatch {
  const longest = Math.max(0, ...sequences.map(({ length }) => length))
  let tail = ''
  return {
    push(text) {
      if (longest > 0) tail = (tail + text).slice(-longest)
    },
    end(reason, stopText) {
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
