import type { CallOptions, Clock } from './ports/clock.ts'
import type { ApiKeyStore } from './ports/credentials.ts'

/** Notes the uses of keys, away from the requests that use them. */
export interface LastUse {
  note(apiKeyId: string): void
  /** Writes the noted uses. Uses that cannot be written are kept for the next time. */
  flush(options: CallOptions): Promise<void>
}

const MAX_NOTED = 10_000

/**
 * Collects the last use of keys until its owner has it written, every second or so: one write for many requests. It
 * keeps at most 10,000 keys, and forgets the oldest ones.
 */
export function createLastUse(options: { readonly store: ApiKeyStore; readonly clock: Pick<Clock, 'now'> }): LastUse {
  const { store, clock } = options
  let noted = new Map<string, number>()
  const keep = (id: string, at: number): void => {
    noted.delete(id)
    noted.set(id, at)
    for (const oldest of noted.keys()) {
      if (noted.size <= MAX_NOTED) return
      noted.delete(oldest)
    }
  }
  return {
    note: (apiKeyId) => keep(apiKeyId, clock.now()),
    async flush(callOptions) {
      if (noted.size === 0) return
      const uses = noted
      noted = new Map()
      try {
        await store.touch(
          [...uses].map(([id, at]) => ({ id, at })),
          callOptions,
        )
      } catch (error) {
        for (const [id, at] of uses) if (!noted.has(id)) keep(id, at)
        throw error
      }
    },
  }
}
