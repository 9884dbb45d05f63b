/** Wakes those who wait for a change. */
export interface Changes {
  /** Resolves at the next change, and when the signal aborts. */
  next(signal: AbortSignal): Promise<void>
  tell(): void
}

/** Creates the waiting room of changes. */
export function createChanges(): Changes {
  const waiting: (() => void)[] = []
  return {
    next: (signal) =>
      new Promise((resolve) => {
        const done = (): void => {
          signal.removeEventListener('abort', done)
          resolve()
        }
        signal.addEventListener('abort', done)
        waiting.push(done)
      }),
    tell() {
      for (const done of waiting.splice(0)) done()
    },
  }
}
