import { MS } from './find-speech.ts'

const FIRST_WAIT = 1000 * MS
const LONGEST_WAIT = 8000 * MS

/** Waits between calls that fail one after the other; positions count samples. */
export interface Retries {
  /** No call is made before this position. */
  readonly next: number
  succeeded(): void
  failed(error: unknown, position: number): void
}

/** The first failure in a row is told. */
export function createRetries(tell: (error: unknown) => void): Retries {
  let failures = 0
  let next = 0
  return {
    get next() {
      return next
    },
    succeeded() {
      failures = 0
    },
    failed(error, position) {
      if (failures === 0) tell(error)
      next = position + Math.min(LONGEST_WAIT, FIRST_WAIT * 2 ** failures)
      failures += 1
    },
  }
}
