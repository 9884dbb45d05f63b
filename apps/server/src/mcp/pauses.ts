import { SvcError } from '@svc/errors'
import type { Clock } from '../ports.ts'
import type { SessionKey } from './session-key.ts'

/** Time that a session must live for its end to count as the first one. */
const STABLE_MS = 60_000
const FIRST_PAUSE_MS = 1000
const LONGEST_PAUSE_MS = 60_000
/** Maximum number of servers whose failures are remembered. */
const MAX_REMEMBERED = 1000

/** Pauses between attempts at servers that fail again and again. */
export interface Pauses {
  /** @throws {SvcError} `upstream_failed`, code `mcp_server_paused` */
  check(key: SessionKey): void
  /** Notes a failed start, or an end that nobody asked for. @param since monotonic milliseconds of the start */
  note(key: SessionKey, since: number): void
  /** Forgets the failures of a group. */
  forget(group: string): void
}

interface Trouble {
  readonly group: string
  readonly failures: number
  /** Monotonic milliseconds of the next attempt. */
  readonly until: number
}

/** Creates the pauses: none after the first failure, then one second that doubles up to a minute. */
export function createPauses(clock: Pick<Clock, 'monotonic'>): Pauses {
  const troubles = new Map<string, Trouble>()
  return {
    check({ id, server }) {
      const left = (troubles.get(id)?.until ?? 0) - clock.monotonic()
      if (left <= 0) return
      const seconds = Math.ceil(left / 1000)
      const message = `the MCP server "${server}" has failed repeatedly; it is tried again in ${seconds} s`
      throw new SvcError('upstream_failed', message, { code: 'mcp_server_paused', retryAfterMs: left })
    },
    note({ id, group }, since) {
      const now = clock.monotonic()
      const failures = now - since >= STABLE_MS ? 1 : (troubles.get(id)?.failures ?? 0) + 1
      const pause = failures === 1 ? 0 : Math.min(FIRST_PAUSE_MS * 2 ** (failures - 2), LONGEST_PAUSE_MS)
      troubles.delete(id)
      troubles.set(id, { group, failures, until: now + pause })
      const [oldest] = troubles.keys()
      if (troubles.size > MAX_REMEMBERED && oldest !== undefined) troubles.delete(oldest)
    },
    forget(group) {
      for (const [id, trouble] of [...troubles]) if (trouble.group === group) troubles.delete(id)
    },
  }
}
