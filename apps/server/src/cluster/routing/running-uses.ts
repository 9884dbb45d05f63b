import type { Clock, Logger } from '../../ports.ts'
import type { ReplicaRows } from '../loads/replica-store.ts'

/** Changed counts are written no more often than this, milliseconds. */
const WRITE_MS = 500
/** Counts that do not change are written again after this time, milliseconds. */
const RENEW_MS = 3000
/** Counts of a server that went away end after this time, milliseconds. */
export const USES_LEASE_MS = 30_000
/** Replicas whose last request is known. */
const MAX_ENDED = 10_000

/** The running requests of this server at each replica. The other servers learn them from the database. */
export interface RunningUses {
  /** Counts a request. @returns ends it; a second call does nothing */
  begin(replicaId: string): () => void
  /** Running requests of this server at a replica. */
  count(replicaId: string): number
  /** Start of the oldest running request of this server at a replica, monotonic milliseconds. */
  busySince(replicaId: string): number | undefined
  /** End of the last request of this server at a replica, monotonic milliseconds. */
  endedAt(replicaId: string): number | undefined
  /** Writes the counts now. @throws as the database does */
  flush(): Promise<void>
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
  /** Starts of the running requests by replica, the oldest first. */
  const begun = new Map<string, Set<{ readonly at: number }>>()
  /** By replica, the oldest first. */
  const ended = new Map<string, number>()
  const changed = new Set<string>()
  const closing = new AbortController()
  let renewedAt = clock.monotonic()
  let writing: Promise<void> | undefined
  let lastWrite: Promise<void> = Promise.resolve()
  const warn = (error: unknown): void =>
    logger.warn({ err: error }, 'the running requests at the workers could not be noted')

  /** Writes run one after the other, so that the last count stays. */
  function write(): Promise<void> {
    const mine = lastWrite.then(writeNow)
    lastWrite = mine.catch(() => undefined)
    return mine
  }
  async function writeNow(): Promise<void> {
    const now = clock.monotonic()
    const isRenewal = now - renewedAt >= RENEW_MS
    const ids = isRenewal ? new Set([...changed, ...begun.keys()]) : new Set(changed)
    if (isRenewal) renewedAt = now
    if (ids.size === 0) return
    changed.clear()
    try {
      await replicas.writeUses(frontEnd, new Map([...ids].map((id) => [id, begun.get(id)?.size ?? 0])), {
        leaseMs: USES_LEASE_MS,
      })
    } catch (error) {
      for (const id of ids) changed.add(id)
      throw error
    }
  }
  /** Writes while there is something to write or to renew. */
  async function run(): Promise<void> {
    while (!closing.signal.aborted && (changed.size > 0 || begun.size > 0)) {
      await write().catch(warn)
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
  function note(replicaId: string): void {
    changed.add(replicaId)
    wake()
  }
  function noteEnd(replicaId: string): void {
    ended.delete(replicaId)
    ended.set(replicaId, clock.monotonic())
    const [oldest] = ended.keys()
    if (ended.size > MAX_ENDED && oldest !== undefined) ended.delete(oldest)
  }
  return {
    begin(replicaId) {
      const use = { at: clock.monotonic() }
      const running = begun.get(replicaId) ?? new Set()
      begun.set(replicaId, running.add(use))
      note(replicaId)
      return () => {
        if (!running.delete(use)) return
        if (running.size === 0) begun.delete(replicaId)
        noteEnd(replicaId)
        note(replicaId)
      }
    },
    count: (replicaId) => begun.get(replicaId)?.size ?? 0,
    busySince(replicaId) {
      const [oldest] = begun.get(replicaId) ?? []
      return oldest?.at
    },
    endedAt: (replicaId) => ended.get(replicaId),
    flush: write,
    async close() {
      closing.abort()
      await writing
      await write().catch(warn)
    },
  }
}
