import type { Clock, Logger } from '../../ports.ts'
import type { Messenger } from '../contract/messenger.ts'
import type { Replica } from '../contract/nodes.ts'
import type { ReplicaRows } from '../loads/replica-store.ts'
import { inBatches } from './in-batches.ts'
import { stopReplica } from './stop-replica.ts'

/** Time between two looks at running requests, milliseconds. */
const LOOK_MS = 1000
/** Longest wait of one server for running requests. Then the one that reconciles goes on. */
const DRAIN_MS = 40_000
/** Time after which another server stops a replica that one has taken out of use: that one may die. */
export const CLEANUP_CLAIM_MS = 2 * DRAIN_MS
const STOPPED = 16

/** Parts of {@link drainReplicas}. */
export interface DrainParts {
  readonly replicas: Pick<ReplicaRows, 'list' | 'change' | 'remove'>
  readonly messenger: Pick<Messenger, 'request'>
  /** Tells that replicas of a model have changed. */
  readonly announce: (model: string) => void
  readonly clock: Pick<Clock, 'monotonic' | 'sleep'>
  readonly logger: Logger
}

interface DrainOptions extends DrainParts {
  /** When the running requests of all servers are counted, monotonic milliseconds. */
  readonly from: number
  readonly signal: AbortSignal
}

/** Stops replicas that get no new requests, as their running ones end. Never rejects. */
export async function drainReplicas(rows: readonly Replica[], options: DrainOptions): Promise<void> {
  const { replicas, announce, clock, logger, from, signal } = options
  const until = clock.monotonic() + DRAIN_MS
  let left = rows
  try {
    const waitMs = from - clock.monotonic()
    if (waitMs > 0) await clock.sleep(waitMs, { signal })
    for (;;) {
      left = await stopIdle(left, options)
      if (left.length === 0 || clock.monotonic() >= until) break
      await clock.sleep(LOOK_MS, { signal })
    }
    for (const { id } of left) await replicas.change(id, { cleanupInMs: 0 }, { from: ['unloading'] })
  } catch (error) {
    // The rows name the time from which another server stops them.
    if (!signal.aborted) logger.warn({ err: error }, 'replicas could not be let go yet')
  } finally {
    for (const model of new Set(rows.map((row) => row.model))) announce(model)
  }
}

/** Stops replicas that have no running requests. @returns the others */
async function stopIdle(
  rows: readonly Replica[],
  { replicas, messenger, signal }: DrainOptions,
): Promise<readonly Replica[]> {
  const now = new Map((await replicas.list()).map((row) => [row.id, row]))
  const there = rows.flatMap(({ id }) => now.get(id) ?? [])
  await inBatches(
    there.filter(({ inFlight }) => inFlight === 0),
    STOPPED,
    async (row) => void (await stopReplica(row, { messenger, replicas, signal })),
  )
  return there.filter(({ inFlight }) => inFlight > 0)
}
