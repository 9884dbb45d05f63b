import { readFileSync } from 'node:fs'

/** One line of a record: something that happened to a call. */
export interface MockRecord {
  /** `cancel` is when the caller went away, `end` when the handler was done, whatever came of it. */
  readonly event: 'start' | 'cancel' | 'end'
  /** Name of the rpc. */
  readonly rpc: string
  /** Number of the call in this process, from 1; the same in all its lines. */
  readonly id: number
  /** Process that took it. */
  readonly pid: number
  /** When, in milliseconds since 1970, with fractions. */
  readonly at: number
  /** Calls running just after, this one included on `start`. Health and Status do not count. */
  readonly concurrent: number
  /** On `start`: the decoded request; bytes as base64 text, 64-bit numbers as decimal text. Absent for duplex calls. */
  readonly request?: unknown
  /** On `start`: text metadata of the call. */
  readonly metadata?: Readonly<Record<string, string>> | undefined
  /** On `end`: what came of it. */
  readonly outcome?: 'ok' | 'cancelled' | 'failed' | undefined
  /** On `end` of a stream: pieces that were taken. */
  readonly pieces?: number | undefined
}

/** Reads what a mock recorded so far; an empty list before its first call. */
export function readRecords(path: string): MockRecord[] {
  let text = ''
  try {
    text = readFileSync(path, 'utf8')
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error
  }
  // A line is written whole, but the last one may be on its way.
  const whole = text.slice(0, text.lastIndexOf('\n') + 1)
  return whole
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as MockRecord)
}
