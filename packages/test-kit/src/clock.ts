/** Time that moves only when a test moves it; fits every `Clock` port of the packages. */
export interface FakeClock {
  /** Wall time, milliseconds since the epoch. */
  now(): number
  /** Milliseconds since the clock was created; {@link FakeClock.setNow} does not move it. */
  monotonic(): number
  /** Resolves once time has been advanced by `ms`; rejects with the signal's reason when it aborts first. */
  sleep(ms: number, options?: { readonly signal?: AbortSignal | undefined }): Promise<void>
  /**
   * Advances time and stops at every due sleeper, in order; the work of a woken sleeper, sleeping again included,
   * happens before time moves further.
   */
  advance(ms: number): Promise<void>
  /** Sets only the wall time, as an administrator or a time server does. */
  setNow(now: number): void
  /** Number of current sleepers. */
  readonly sleepers: number
  /** Resolves when at least `count` sleep. */
  waitForSleepers(count: number): Promise<void>
}

interface Sleeper {
  readonly dueAt: number
  wake(): void
}

/** Options of {@link createFakeClock}. */
export interface FakeClockOptions {
  /** Wall time at the start, milliseconds since the epoch. @default 2026-01-01T00:00:00Z */
  readonly now?: number | undefined
}

/** Creates a clock whose time moves only by the test. */
export function createFakeClock(options: FakeClockOptions = {}): FakeClock {
  let elapsed = 0
  let offset = options.now ?? Date.UTC(2026, 0, 1)
  const sleepers: Sleeper[] = []
  const watchers = new Set<() => void>()
  const notify = () => {
    for (const watcher of watchers) watcher()
  }
  const nextDue = (until: number) =>
    sleepers.reduce<Sleeper | undefined>((first, sleeper) => {
      if (sleeper.dueAt > until || (first !== undefined && first.dueAt <= sleeper.dueAt)) return first
      return sleeper
    }, undefined)

  return {
    now: () => offset + elapsed,
    monotonic: () => elapsed,
    setNow(now) {
      offset = now - elapsed
    },
    get sleepers() {
      return sleepers.length
    },
    sleep(ms, { signal } = {}) {
      return new Promise((resolve, reject) => {
        if (signal?.aborted) return reject(signal.reason)
        const leave = () => {
          sleepers.splice(sleepers.indexOf(sleeper), 1)
          signal?.removeEventListener('abort', onAbort)
        }
        const onAbort = () => {
          leave()
          reject(signal?.reason)
        }
        const sleeper: Sleeper = {
          dueAt: elapsed + Math.max(0, ms),
          wake() {
            leave()
            resolve()
          },
        }
        signal?.addEventListener('abort', onAbort)
        sleepers.push(sleeper)
        notify()
      })
    },
    async advance(ms) {
      const until = elapsed + ms
      await settle()
      for (let sleeper = nextDue(until); sleeper !== undefined; sleeper = nextDue(until)) {
        elapsed = Math.max(elapsed, sleeper.dueAt)
        sleeper.wake()
        await settle()
      }
      elapsed = until
    },
    waitForSleepers(count) {
      return new Promise((resolve) => {
        const watcher = () => {
          if (sleepers.length < count) return
          watchers.delete(watcher)
          resolve()
        }
        watchers.add(watcher)
        watcher()
      })
    },
  }
}

/** Runs everything that waits for a settled promise. */
function settle(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}
