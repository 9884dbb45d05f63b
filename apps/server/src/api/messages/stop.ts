import type { MessagesStopReason } from '@svc/wire'
import type { FinishReason } from '../../inference/events.ts'

/** Why a message ended, in the words of its format. */
export interface Ending {
  readonly stop_reason: MessagesStopReason
  readonly stop_sequence: string | null
}

/** Watches the end of the text for a sequence that stopped it. */
export interface EndWatch {
  push(text: string): void
  ending(reason: FinishReason): Ending
}

/**
 * A watch for sequences. Backends do not say at which of them they stopped, so it is known only of those that leave it
 * in the text; of others the message ended as any turn does.
 */
export function watchEnd(sequences: readonly string[]): EndWatch {
  const longest = Math.max(0, ...sequences.map(({ length }) => length))
  let tail = ''
  return {
    push(text) {
      if (longest > 0) tail = (tail + text).slice(-longest)
    },
    ending(reason) {
      const sequence = reason === 'stop' ? sequences.find((one) => tail.endsWith(one)) : undefined
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
