import { readFileSync } from 'node:fs'

/** One line of a record: an event of a call. */
export interface MockRecord {
  /** `cancel` is the time of the caller's cancellation, `end` the end of the handler in any outcome. */
  readonly event: 'start' | 'cancel' | 'end'
  /** Name of the rpc. */
  readonly rpc: string
  /** Number of the call in this process, from 1; the same in all its lines. */
  readonly id: number
  /** Process that took it. */
  readonly pid: number
  /** Time in milliseconds since 1970, with fractions. */
  readonly at: number
  /** Calls running just after, this one included on `start`. Health and Status do not count. */
  readonly concurrent: number
  /** On `start`: the decoded request; bytes as base64 text, 64-bit numbers as decimal text. Absent for duplex calls. */
  readonly request?: unknown
  /** On `start`: text metadata of the call. */
  readonly metadata?: Readonly<Record<string, string>> | undefined
  /** On `end`: the outcome. */
  readonly outcome?: 'ok' | 'cancelled' | 'failed' | undefined
  /** On `end` of a stream: number of pieces taken. */
  readonly pieces?: number | undefined
}

/** Reads the records of a mock so far; an empty list before its first call. */
export function readRecords(path: string): MockRecord[] {
  let text = ''
  try {
    text = readFileSync(path, 'utf8')
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error
  }
  // Every line is written whole, but the last one may be incomplete.
  const whole = text.slice(0, text.lastIndexOf('\n') + 1)
  return whole
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as MockRecord)
}
