import { SvcError } from '@svc/errors'
import type { Database } from '../../db/database.ts'
import type { Clock } from '../../ports.ts'
import type { Messenger } from '../contract/messenger.ts'
import type { Replica } from '../contract/nodes.ts'
import type { ReplicaRows } from '../loads/replica-store.ts'
import { endLoads } from './end-loads.ts'
import { inBatches } from './in-batches.ts'
import { stopReplica } from './stop-replica.ts'

/** Longest wait for running requests, and time between two looks, milliseconds. */
const DRAIN_MS = 30_000
const LOOK_MS = 1000
/** Time after which another server stops a replica that this one waited for. */
const CLAIM_MS = 2 * DRAIN_MS
const STOPPED = 16

/** What a shutdown has ended. */
export interface ShutdownReport {
  /** Replicas whose processes are gone. */
  readonly replicas: number
  /** Loads that had not come to an end. */
  readonly loads: number
  /** Running requests that were cut off. */
  readonly endedCalls: number
}

/**
 * Stops a model on all workers, and its loads. Without `force` a replica that still has requests after 30 s goes on.
 *
 * @throws {SvcError} `internal`, code `model_busy`: requests still run; `backend_not_ended`: a worker does not answer or
 *   does not end a process. Its replica gets no requests, and is stopped as soon as the worker can. The signal's reason
 */
export type ShutdownModel = (
  model: string,
  options: { readonly force: boolean; readonly signal: AbortSignal },
) => Promise<ShutdownReport>

/** Parts of {@link createModelShutdown}. */
export interface ModelShutdownParts {
  readonly replicas: Pick<ReplicaRows, 'list' | 'change' | 'remove'>
  readonly database: Pick<Database, 'queries' | 'dialect'>
  readonly messenger: Pick<Messenger, 'request'>
  readonly clock: Pick<Clock, 'monotonic' | 'sleep'>
  /** Whether requests that run longer than the wait are cut off. @default false */
  readonly cutsBusy?: boolean | undefined
}

/** Creates the shutdown of models. */
export function createModelShutdown(parts: ModelShutdownParts): ShutdownModel {
  const { replicas, messenger, cutsBusy = false } = parts
  return async (model, { force, signal }) => {
    const loads = await endLoads(parts.database, model, { error: `model "${model}" was stopped while it was loaded` })
    const all = await replicas.list({ model })
    const rows = force || all.length === 0 ? all : await drain(parts, { model, all, signal })
    const isCut = force || cutsBusy
    const busy = isCut ? [] : rows.filter(({ inFlight }) => inFlight > 0)
    await letGoOn(parts, busy, all)
    const ended = rows.filter((row) => !busy.includes(row))
    const left: Replica[] = []
    await inBatches(ended, STOPPED, async (replica) => {
      if (!(await stopReplica(replica, { messenger, replicas, signal, force: isCut }))) left.push(replica)
    })
    if (busy.length > 0) throw stillBusy(model, busy)
    if (left.length > 0) throw notEnded(model, left)
    // Rows that went while requests ended were stopped as well.
    const endedCalls = ended.reduce((sum, { inFlight }) => sum + inFlight, 0)
    return { replicas: all.length, loads, endedCalls }
  }
}

/** Lets no new requests to the replicas of a model, and waits for the running ones. @returns the rows after that */
async function drain(
  { replicas, clock }: ModelShutdownParts,
  { model, all, signal }: { readonly model: string; readonly all: readonly Replica[]; readonly signal: AbortSignal },
): Promise<readonly Replica[]> {
  const ids = new Set(all.map(({ id }) => id))
  for (const id of ids) await replicas.change(id, { state: 'unloading', cleanupInMs: CLAIM_MS })
  const until = clock.monotonic() + DRAIN_MS
  for (;;) {
    // Requests of the last moment are not counted yet.
    await clock.sleep(LOOK_MS, { signal })
    const rows = (await replicas.list({ model })).filter(({ id }) => ids.has(id))
    if (rows.every(({ inFlight }) => inFlight === 0) || clock.monotonic() >= until) return rows
  }
}

/** Gives busy replicas requests again that got them before. */
async function letGoOn(
  { replicas }: ModelShutdownParts,
  busy: readonly Replica[],
  before: readonly Replica[],
): Promise<void> {
  for (const { id } of busy) {
    const wasLoaded = before.some((row) => row.id === id && row.state === 'loaded')
    if (wasLoaded) await replicas.change(id, { state: 'loaded' }, { from: ['unloading'] })
  }
}

function stillBusy(model: string, busy: readonly Replica[]): SvcError {
  const calls = busy.reduce((sum, { inFlight }) => sum + inFlight, 0)
  const running = calls === 1 ? '1 call runs' : `${calls} calls run`
  const message = `model "${model}" is busy on ${toPlaces(busy)}: ${running} for longer than ${DRAIN_MS / 1000} s`
  return new SvcError('internal', message, { code: 'model_busy' })
}

function notEnded(model: string, left: readonly Replica[]): SvcError {
  return new SvcError(
    'internal',
    `model "${model}" has not ended on ${toPlaces(left)} yet; it gets no requests there, and is stopped as soon as possible`,
    { code: 'backend_not_ended' },
  )
}

const toPlaces = ({ length }: readonly Replica[]): string => (length === 1 ? 'a worker' : `${length} workers`)
