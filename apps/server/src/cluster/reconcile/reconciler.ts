import { randomUUID } from 'node:crypto'
import { SvcError } from '@svc/errors'
import { carryOut, createPlanner } from './carry-out.ts'
import { createDutyLease } from './duty-lease.ts'
import { createForsakenLoads, takeOverLoads } from './mend-loads.ts'
import { observeCluster } from './observe-cluster.ts'
import type { ReconcilerParts } from './reconciler-parts.ts'
import { createReplicaWatch, type ProbeReplica } from './replica-watch.ts'
import { createStopRetries } from './retry-stops.ts'

/** Time between two rounds. */
const ROUND_MS = 30_000
const RETRY_MS = 5000
const PROBE_MS = 5000
/** Silence after which another server takes over, and time between two claims. */
const LEASE_MS = 30_000
const CLAIM_MS = 10_000

/** Parts of {@link createReconciler}. */
export interface ReconcilerOptions extends ReconcilerParts {
  /** Asks the process of a replica for its health. @default processes are judged by their workers alone */
  readonly probe?: ProbeReplica | undefined
}

/** Brings the cluster to the wanted state. Of several servers one does it at a time. */
export interface Reconciler {
  /** Works whenever this server has the duty, until the signal aborts. Never rejects. */
  run(signal: AbortSignal): Promise<void>
  /** One round, if this server has the duty or takes it. @throws the signal's reason; as the database does */
  look(signal: AbortSignal): Promise<void>
}

/**
 * Creates the reconciler of a server. Every step is safe when two servers do it at the same time: loads are claimed,
 * changes of rows compare what was read, a stop names its process exactly. The duty saves work, no more.
 */
export function createReconciler(options: ReconcilerOptions): Reconciler {
  const { replicas, jobs, messenger, database, clock, logger } = options
  const owner = randomUUID()
  const parts = { ...options, owner }
  const lease = createDutyLease(database, { duty: 'reconcile', owner, leaseMs: LEASE_MS })
  const planner = createPlanner(parts)
  const retries = createStopRetries(parts)
  const forsaken = createForsakenLoads(parts)
  const watch = createReplicaWatch(parts)

  async function round(signal: AbortSignal): Promise<void> {
    await replicas.removeExpiredUses()
    await jobs.removeOldFailures()
    // Without the bus nothing can be asked or changed.
    if (!messenger.isConnected) return
    await takeOverLoads(parts, signal)
    const state = await observeCluster(parts, signal)
    if (!messenger.isConnected) return
    await forsaken.look(state, signal)
    await carryOut(parts, await planner.plan(state), signal)
  }
  /** Keeps the duty. Ends when it is lost, or when it may be because the database is away. */
  async function keepDuty(term: AbortController, signal: AbortSignal): Promise<void> {
    for (let claimedAt = clock.monotonic(); !signal.aborted; ) {
      await clock.sleep(CLAIM_MS, { signal }).catch(() => undefined)
      if (signal.aborted) return
      const askedAt = clock.monotonic()
      const isMine = await lease.claim().catch(() => undefined)
      if (isMine === true) claimedAt = askedAt
      else if (isMine === false || clock.monotonic() - claimedAt >= LEASE_MS - CLAIM_MS) {
        term.abort(new SvcError('unavailable', 'another server has the duty', { code: 'duty_lost' }))
      }
    }
  }
  async function serve(signal: AbortSignal): Promise<void> {
    const term = new AbortController()
    const whileMine = AbortSignal.any([signal, term.signal])
    const repeat = (everyMs: number, work: (signal: AbortSignal) => Promise<void>): Promise<void> =>
      repeatWork({ everyMs, work, signal: whileMine }, { clock, logger })
    await Promise.all([
      keepDuty(term, whileMine),
      repeat(ROUND_MS, round),
      repeat(RETRY_MS, (within) => retries.look(within)),
      repeat(PROBE_MS, (within) => watch.look(within)),
    ])
    await lease.release().catch(() => undefined)
  }
  return {
    async look(signal) {
      if (!(await lease.claim())) return
      await round(signal)
      await retries.look(signal)
    },
    async run(signal) {
      while (!signal.aborted) {
        try {
          if (await lease.claim()) await serve(signal)
        } catch (error) {
          logger.debug({ err: error }, 'the duty of the reconciler could not be claimed')
        }
        await clock.sleep(CLAIM_MS, { signal }).catch(() => undefined)
      }
    },
  }
}

/** Repeats work until the signal aborts. Never rejects. */
async function repeatWork(
  {
    everyMs,
    work,
    signal,
  }: {
    readonly everyMs: number
    readonly work: (signal: AbortSignal) => Promise<void>
    readonly signal: AbortSignal
  },
  { clock, logger }: Pick<ReconcilerParts, 'clock' | 'logger'>,
): Promise<void> {
  while (!signal.aborted) {
    try {
      await work(signal)
    } catch (error) {
      if (signal.aborted) return
      logger.warn({ err: error }, 'the state of the cluster could not be compared')
    }
    await clock.sleep(everyMs, { signal }).catch(() => undefined)
  }
}
