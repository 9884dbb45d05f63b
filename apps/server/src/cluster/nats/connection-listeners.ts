import type { Logger } from '../../ports.ts'

/** Those who want to know whether the bus is connected. */
export interface ConnectionListeners {
  add(listener: (isConnected: boolean) => void): () => void
  tell(isConnected: boolean): void
  /** Resolves with the next change, or when a time is over. */
  next(timeUp: Promise<void>): Promise<void>
  clear(): void
}

/** Creates an empty list. */
export function createConnectionListeners(logger: Pick<Logger, 'error'>): ConnectionListeners {
  const entries = new Set<{ readonly call: (isConnected: boolean) => void }>()
  const list: ConnectionListeners = {
    add(call) {
      const entry = { call }
      entries.add(entry)
      return () => entries.delete(entry)
    },
    tell(isConnected) {
      for (const { call } of [...entries]) {
        try {
          call(isConnected)
        } catch (error) {
          logger.error({ err: error }, 'a listener of the bus failed')
        }
      }
    },
    async next(timeUp) {
      let end = (): void => undefined
      const changed = new Promise<void>((resolve) => {
        end = list.add(() => resolve())
      })
      try {
        await Promise.race([changed, timeUp.catch(() => undefined)])
      } finally {
        end()
      }
    },
    clear: () => entries.clear(),
  }
  return list
}
