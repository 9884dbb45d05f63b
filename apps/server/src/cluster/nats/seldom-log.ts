import type { Clock, Logger } from '../../ports.ts'

/** Pause between two lines of one kind, milliseconds. */
const PAUSE_MS = 60_000
/** Maximum number of kinds. */
const MAX_KINDS = 256

/** Logs each kind of trouble once a minute. */
export interface SeldomLog {
  /** @param kind what the pause is for */
  warn(kind: string, fields: Readonly<Record<string, unknown>>, message: string): void
}

/** Creates a log that does not repeat itself. */
export function createSeldomLog(logger: Pick<Logger, 'warn'>, clock: Pick<Clock, 'monotonic'>): SeldomLog {
  const last = new Map<string, number>()
  return {
    warn(kind, fields, message) {
      const now = clock.monotonic()
      const before = last.get(kind)
      if (before !== undefined && now - before < PAUSE_MS) return
      if (last.size >= MAX_KINDS) last.clear()
      last.set(kind, now)
      logger.warn(fields, message)
    },
  }
}
