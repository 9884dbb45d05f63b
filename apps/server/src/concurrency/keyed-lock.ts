import { untilAborted } from './until-aborted.ts'

/** Runs work of one key one after the other. */
export interface KeyedLock {
  /** @throws the signal's reason, where it aborts before the turn comes; what the work throws */
  run<T>(key: string, work: () => Promise<T>, options: { readonly signal: AbortSignal }): Promise<T>
}

/** A lock that nobody holds. It knows only keys with running or waiting work. */
export function createKeyedLock(): KeyedLock {
  const tails = new Map<string, Promise<void>>()
  return {
    async run(key, work, { signal }) {
      const before = tails.get(key) ?? Promise.resolve()
      let end = (): void => undefined
      const held = new Promise<void>((resolve) => {
        end = resolve
      })
      // The turn of one that leaves early ends as soon as it comes.
      const tail = before.then(() => held)
      const own = tail.finally(() => {
        if (tails.get(key) === own) tails.delete(key)
      })
      tails.set(key, own)
      try {
        await untilAborted(before, signal)
        return await work()
      } finally {
        end()
      }
    },
  }
}
