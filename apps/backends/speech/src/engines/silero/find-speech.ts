import type { TimeRange } from '../../speech-model.ts'

/** When a stretch counts as speech. */
export interface SpeechRules {
  /** Least probability of speech, 0 to 1. Speech goes on until it is 0.15 below. */
  readonly threshold: number
  /** Shorter speech is left out, in seconds. */
  readonly minSpeech: number
  /** A shorter pause does not end a stretch, in seconds. */
  readonly minSilence: number
  /** Seconds before and after each stretch that belong to it: sounds begin softly. */
  readonly padding: number
}

const HYSTERESIS = 0.15

/**
 * Finds spoken stretches. Times are in seconds. A stretch that goes on at the end has the end 0: it has not been quiet
 * for the least silence.
 *
 * @param probabilities of speech, of one window after the other
 * @param windowSeconds length of a window
 */
export function findSpeech(
  probabilities: Float32Array,
  windowSeconds: number,
  { threshold, minSpeech, minSilence, padding }: SpeechRules,
): TimeRange[] {
  const low = Math.max(0.01, threshold - HYSTERESIS)
  const found: TimeRange[] = []
  let start: number | undefined
  /** Begin of the current pause. */
  let pause: number | undefined
  for (const [index, probability] of probabilities.entries()) {
    const time = index * windowSeconds
    if (probability >= threshold) {
      start ??= time
      pause = undefined
    } else if (start !== undefined && probability < low) {
      pause ??= time
      if (time + windowSeconds - pause >= minSilence) {
        if (pause - start >= minSpeech) found.push({ start, end: pause })
        start = undefined
        pause = undefined
      }
    }
  }
  const total = probabilities.length * windowSeconds
  const isLong = start !== undefined && (pause ?? total) - start >= minSpeech
  return padRanges(isLong && start !== undefined ? [...found, { start, end: 0 }] : found, { padding, total })
}

/** Widens stretches; two that are near share the pause between them. */
function padRanges(
  ranges: readonly TimeRange[],
  { padding, total }: { readonly padding: number; readonly total: number },
): TimeRange[] {
  return ranges.map(({ start, end }, index) => {
    const before = ranges[index - 1]?.end ?? 0
    const after = ranges[index + 1]?.start ?? total
    const room = before === 0 ? start : (start - before) / 2
    const behind = index === ranges.length - 1 ? after - end : (after - end) / 2
    return { start: start - Math.min(padding, room), end: end === 0 ? 0 : end + Math.min(padding, Math.max(0, behind)) }
  })
}
