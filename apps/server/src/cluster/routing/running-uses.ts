import type { Clock, Logger } from '../../ports.ts'
import type { ReplicaRows } from '../loads/replica-store.ts'

/** Changed counts are written no more often than this, milliseconds. */
const WRITE_MS = 500
/** Counts that do not change are written again after this time, milliseconds. */
const RENEW_MS = 3000
/** Counts of a server that went away end after this time, milliseconds. */
export const USES_LEASE_MS = 30_000

/** The running requests of this server at each replica. The other servers learn them from the database. */
export interface RunningUses {
  /** Counts a request. @returns ends it; a second call does nothing */
  begin(replicaId: string): () => void
  /** Running requests of this server at a replica. */
  count(replicaId: string): number
  /** Ends the writing; what still runs ends with its lease. */
  close(): Promise<void>
}

/** Counts the requests of a server. */
export function createRunningUses({
  replicas,
  frontEnd,
  clock,
  logger,
}: {
  readonly replicas: Pick<ReplicaRows, 'writeUses'>
  readonly frontEnd: string
  readonly clock: Pick<Clock, 'monotonic' | 'sleep'>
  readonly logger: Logger
}): RunningUses {
  const counts = new Map<string, number>()
  const changed = new Set<string>()
  const closing = new AbortController()
  let renewedAt = clock.monotonic()
  let writing: Promise<void> | undefined

  async function write(): Promise<void> {
    const now = clock.monotonic()
    const isRenewal = now - renewedAt >= RENEW_MS
    const ids = isRenewal ? new Set([...changed, ...counts.keys()]) : new Set(changed)
    if (isRenewal) renewedAt = now
    if (ids.size === 0) return
    changed.clear()
    try {
      await replicas.writeUses(frontEnd, new Map([...ids].map((id) => [id, counts.get(id) ?? 0])), {
        leaseMs: USES_LEASE_MS,
      })
    } catch (error) {
      for (const id of ids) changed.add(id)
      logger.warn({ err: error }, 'the running requests at the workers could not be noted')
    }
  }
  /** Writes while there is something to write or to renew. */
  async function run(): Promise<void> {
    while (!closing.signal.aborted && (changed.size > 0 || counts.size > 0)) {
      await write()
      await clock.sleep(WRITE_MS, { signal: closing.signal }).catch(() => undefined)
    }
  }
  function wake(): void {
    if (writing !== undefined || closing.signal.aborted) return
    writing = run().finally(() => {
      writing = undefined
      if (changed.size > 0) wake()
    })
  }
  function add(replicaId: string, change: 1 | -1): void {
    const count = (counts.get(replicaId) ?? 0) + change
    if (count > 0) counts.set(replicaId, count)
    else counts.delete(replicaId)
    changed.add(replicaId)
    wake()
  }
  return {
    begin(replicaId) {
      let isOver = false
      add(replicaId, 1)
      return () => {
        if (isOver) return
        isOver = true
        add(replicaId, -1)
      }
    },
    count: (replicaId) => counts.get(replicaId) ?? 0,
    async close() {
      closing.abort()
      await writing
      await write()
    },
  }
}
