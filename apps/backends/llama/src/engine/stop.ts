/** Output of a {@link StopScanner}. */
interface StopResult {
  /** Text that can no longer be part of a stop string. */
  readonly text: string
  /** The matched stop string; no piece may be pushed after it. */
  readonly stop: string | undefined
}

/** Finds the first stop string in a text that arrives in pieces. */
export interface StopScanner {
  /** Takes the next piece; returns all text except the shortest end that may begin a stop string. */
  push(piece: string): StopResult
  /** Returns the held text when the generation ends without a stop string. */
  flush(): string
}

/**
 * Creates a scanner for a set of stop strings. The match that ends first wins, and the longest of several, so that the
 * result does not depend on the cuts between pieces. The stop string itself is not returned.
 */
export function createStopScanner(stopStrings: readonly string[]): StopScanner {
  const stops = stopStrings.filter((stop) => stop !== '')
  let held = ''
  return {
    push: (piece) => {
      held += piece
      const found = findStop(held, stops)
      const end = found?.start ?? held.length - countHeldBack(held, stops)
      const text = held.slice(0, end)
      held = found === undefined ? held.slice(end) : ''
      return { text, stop: found?.stop }
    },
    flush: () => {
      const text = held
      held = ''
      return text
    },
  }
}

function findStop(text: string, stops: readonly string[]): { start: number; stop: string } | undefined {
  let found: { start: number; end: number; stop: string } | undefined
  for (const stop of stops) {
    const start = text.indexOf(stop)
    if (start < 0) continue
    const end = start + stop.length
    if (found === undefined || end < found.end || (end === found.end && start < found.start))
      found = { start, end, stop }
  }
  return found
}

/** Length of the longest end of `text` that is the beginning of a stop string. */
function countHeldBack(text: string, stops: readonly string[]): number {
  let longest = 0
  for (const stop of stops) {
    for (let length = Math.min(stop.length - 1, text.length); length > longest; length--) {
      if (text.endsWith(stop.slice(0, length))) longest = length
    }
  }
  return longest
}
