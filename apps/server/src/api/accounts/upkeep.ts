import type { Auth } from '@svc/auth'
import type { Clock, Logger } from '../../ports.ts'

/** Options of {@link startUpkeep}. */
export interface UpkeepOptions {
  readonly auth: Pick<Auth, 'tidy' | 'lastUse'>
  readonly clock: Clock
  readonly log: Logger
}

/** Work that is done beside requests. */
export interface Upkeep {
  close(): Promise<void>
}

const NOTE_MS = 1000
const TIDY_MS = 3_600_000
/** The first requests after the start go first. */
const FIRST_TIDY_MS = 10_000

/**
 * Writes every second when keys were used, and removes every hour what has expired, first 10 s after the start. While
 * the database is away it says so once and keeps trying.
 */
export function startUpkeep({ auth, clock, log }: UpkeepOptions): Upkeep {
  const ending = new AbortController()
  const { signal } = ending

  const rest = (ms: number): Promise<void> => clock.sleep(ms, { signal }).catch(() => undefined)

  async function repeat(intervalMs: number, work: () => Promise<void>): Promise<void> {
    let isFailing = false
    while (!signal.aborted) {
      try {
        await work()
        isFailing = false
      } catch (error) {
        if (!isFailing && !signal.aborted) log.warn({ err: error }, 'the upkeep of accounts has failed')
        isFailing = true
      }
      await rest(intervalMs)
    }
  }

  const work = [
    repeat(NOTE_MS, () => auth.lastUse.flush({ signal })),
    rest(FIRST_TIDY_MS).then(() => repeat(TIDY_MS, () => auth.tidy({ signal }))),
  ]
  return {
    async close() {
      ending.abort()
      await Promise.all(work)
    },
  }
}
