import { NO_USAGE, type Usage } from '../../../inference/core/events.ts'
import type { Clock } from '../../../ports.ts'

/** The figures in the last line of an answer. Durations are whole nanoseconds. */
export interface Figures {
  readonly total_duration: number
  readonly load_duration: number
  readonly prompt_eval_count: number
  readonly prompt_eval_duration: number
  readonly eval_count: number
  readonly eval_duration: number
}

/** Measures the times of an answer. */
export interface Stopwatch {
  /** Notes a piece of the answer. */
  tick(): void
  figures(usage?: Usage): Figures
}

/**
 * Creates a stopwatch for a request that was read at a monotonic time. When the backend reports its times of reading
 * and writing, the rest is waiting and loading. When it does not, reading lasts until the first piece.
 */
export function createStopwatch(clock: Pick<Clock, 'monotonic'>, startedAt: number): Stopwatch {
  let firstAt: number | undefined
  return {
    tick() {
      firstAt ??= clock.monotonic()
    },
    figures(usage = NO_USAGE) {
      const endedAt = clock.monotonic()
      const totalMs = endedAt - startedAt
      const isTold = usage.promptMs > 0 || usage.generationMs > 0
      const generationMs = isTold ? usage.generationMs : endedAt - (firstAt ?? endedAt)
      const promptMs = isTold ? usage.promptMs : totalMs - generationMs
      return {
        total_duration: toNanoseconds(totalMs),
        load_duration: toNanoseconds(totalMs - promptMs - generationMs),
        prompt_eval_count: usage.promptTokens,
        prompt_eval_duration: toNanoseconds(promptMs),
        eval_count: usage.completionTokens,
        eval_duration: toNanoseconds(generationMs),
      }
    },
  }
}

/** Converts to whole nanoseconds, at least 0. */
export function toNanoseconds(milliseconds: number): number {
  return Math.max(0, Math.round(milliseconds * 1e6))
}
