import { storesBusy } from './errors.ts'

/** Runs changes of one store one after the other, and nothing beside a change of all stores. */
export interface WriteTurns {
  /** @throws {SvcError} `stores_busy` */
  inTurn<T>(id: string, work: () => Promise<T>): Promise<T>
  /** Runs when all earlier changes have ended. Later ones wait for it. */
  alone(work: () => Promise<void>): Promise<void>
}

/** @param limits.maxWaiting changes that may wait or run at a time */
export function createWriteTurns({ maxWaiting }: { readonly maxWaiting: number }): WriteTurns {
  const last = new Map<string, Promise<unknown>>()
  let waiting = 0
  let switching: Promise<void> | undefined

  function follow<T>(id: string, work: () => Promise<T>): Promise<T> {
    const done = (last.get(id) ?? Promise.resolve()).then(work)
    const settled = done
      .catch(() => undefined)
      .then(() => {
        if (last.get(id) === settled) last.delete(id)
      })
    last.set(id, settled)
    return done
  }

  return {
    async inTurn(id, work) {
      if (waiting >= maxWaiting) throw storesBusy()
      waiting += 1
      try {
        while (switching !== undefined) await switching.catch(() => undefined)
        return await follow(id, work)
      } finally {
        waiting -= 1
      }
    },
    async alone(work) {
      while (switching !== undefined) await switching.catch(() => undefined)
      switching = Promise.all(last.values())
        .then(work)
        .finally(() => {
          switching = undefined
        })
      await switching
    },
  }
}
