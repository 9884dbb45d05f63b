import type { Clock } from '../../ports.ts'
import type { Entry, Line } from './line.ts'

/** How long an old connection stays for replies of running requests, milliseconds. Installations take the longest. */
const RETIRE_MS = 20 * 60_000
/** Pause between two looks at an old connection, milliseconds. */
const LOOK_MS = 250
/** Maximum number of old connections. */
const MAX_OLD = 4
/** How long the last messages may take to leave, milliseconds. */
const GOODBYE_MS = 1000

/** Connections that have a successor. They stay for the replies of running requests. */
export interface OldLines {
  /** Ends the subscriptions of a connection, and closes it once no request of it runs. */
  retire(line: Line): Promise<void>
  remove(entry: Entry): void
  /** Closes all. */
  close(): Promise<void>
}

/** @param signal ends the stay */
export function createOldLines(clock: Clock, signal: AbortSignal): OldLines {
  const lines = new Set<Line>()
  const closeWhenIdle = async (line: Line): Promise<void> => {
    const until = clock.monotonic() + RETIRE_MS
    try {
      while (line.running > 0 && line.isOpen && clock.monotonic() < until) await clock.sleep(LOOK_MS, { signal })
    } catch {
      // The signal ends the wait.
    }
    lines.delete(line)
    await line.close()
  }
  return {
    async retire(line) {
      lines.add(line)
      await line.endSubscriptions()
      void closeWhenIdle(line)
      const [oldest] = lines
      if (lines.size > MAX_OLD) await oldest?.close()
    },
    remove(entry) {
      for (const line of lines) line.remove(entry)
    },
    async close() {
      await Promise.all([...lines].map((line) => sayGoodbye(line, clock)))
    },
  }
}

/** Lets the last messages leave for a while, then closes. */
export async function sayGoodbye(line: Line, clock: Pick<Clock, 'sleep'>): Promise<void> {
  const done = new AbortController()
  const late = clock.sleep(GOODBYE_MS, { signal: done.signal }).catch(() => undefined)
  await Promise.race([Promise.allSettled([line.endSubscriptions(), line.flush()]), late])
  done.abort()
  await line.close()
}
