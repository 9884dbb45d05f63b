import { createLogRing, type LogLine, type LogRing } from '../log-ring.ts'

/** A log ring that a test can wait on. */
export interface WatchedRing extends LogRing {
  /** Resolves with the first line, past or future, that matches. */
  waitFor(match: RegExp): Promise<string>
}

/** Creates an empty ring. */
export function createWatchedRing(): WatchedRing {
  const ring = createLogRing()
  const watchers = new Set<(line: LogLine) => void>()
  return {
    ...ring,
    append(line) {
      ring.append(line)
      for (const watcher of watchers) watcher(line)
    },
    waitFor(match) {
      const early = ring.lines().find((line) => match.test(line.text))
      if (early !== undefined) return Promise.resolve(early.text)
      return new Promise((resolve) => {
        const watcher = (line: LogLine) => {
          if (!match.test(line.text)) return
          watchers.delete(watcher)
          resolve(line.text)
        }
        watchers.add(watcher)
      })
    },
  }
}
