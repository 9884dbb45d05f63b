import type { Replica } from '../contract/nodes.ts'
import { CLEANUP_CLAIM_MS, type DrainParts, drainReplicas } from './drain-replicas.ts'
import { createOldReplicas, type OldReplicaParts } from './old-replicas.ts'

/** Age that the copy of a server may have which was not reached, and the delay of its counts. */
const UNHEARD_MS = 11_000
/** Longest wait of a caller for processes without requests to end. */
const WAIT_MS = 2000

/** Lets replicas of old configurations go. */
export interface ReplicaRetirement {
  /** Models have changed: {@link ReplicaRetirement.settle} begins. */
  note(models: readonly string[]): void
  /**
   * Lets no new requests to the replicas of models that are of another configuration, at any front end, and ends the
   * loads of such. The processes are stopped after their running requests; those without one are waited for, 2 s at most.
   *
   * @returns replicas whose processes have not ended yet. Never rejects
   */
  settle(models: readonly string[]): Promise<number>
  /**
   * Lets one replica go that seems to have no requests, unless one has come meanwhile. Never rejects.
   *
   * @param options.usedAt the last use that is known, by the clock of the database. @default any
   */
  letGo(replica: Pick<Replica, 'id' | 'model'>, options?: { readonly usedAt?: number | undefined }): Promise<void>
  /** Ends the waits; the server that reconciles goes on. */
  close(): Promise<void>
}

/** Parts of {@link createReplicaRetirement}. */
export interface RetirementParts extends OldReplicaParts, DrainParts {
  readonly replicas: OldReplicaParts['replicas'] & DrainParts['replicas']
  /** Gives the changed files to the database. Never rejects. */
  readonly shareModels: () => Promise<void>
  /** Has the other front ends read models and replicas again. @returns whether all have done so */
  readonly tellOthers: (signal: AbortSignal) => Promise<boolean>
  /** Reads the replicas again here, and writes the running requests of this server. */
  readonly followHere: () => Promise<void>
}

/** Creates the retirement. */
export function createReplicaRetirement(parts: RetirementParts): ReplicaRetirement {
  const { replicas, shareModels, tellOthers, announce, clock, logger } = parts
  const old = createOldReplicas(parts)
  const closing = new AbortController()
  const running = new Set<Promise<unknown>>()
  const settling = new Set<Promise<boolean>>()
  function keep<T>(work: Promise<T>): Promise<T> {
    const kept = work.finally(() => running.delete(kept))
    running.add(kept)
    kept.catch(() => undefined)
    return kept
  }

  /** Makes the change known. @returns when running requests are counted, monotonic milliseconds */
  async function makeKnown(): Promise<number> {
    const isKnown = await tellOthers(closing.signal).catch(() => false)
    const isCounted = await parts.followHere().then(
      () => true,
      () => false,
    )
    return clock.monotonic() + (isKnown && isCounted ? 0 : UNHEARD_MS)
  }

  async function drain(mine: readonly Replica[]): Promise<void> {
    const from = await makeKnown()
    await drainReplicas(mine, { ...parts, from, signal: closing.signal })
  }

  /** @param isOwn whether this server has made the change @returns whether the other front ends were told */
  async function settle(models: readonly string[], isOwn: boolean): Promise<boolean> {
    await shareModels()
    const { mine, isAny } = await old.takeOut(models)
    if (mine.length === 0 && !(isOwn && isAny)) return false
    await within(keep(drain(mine)), WAIT_MS)
    return true
  }

  const letGo: ReplicaRetirement['letGo'] = async ({ id, model }, { usedAt } = {}) => {
    // The end of an own request may not be written yet.
    await parts.followHere()
    const now = (await replicas.list({ model })).find((row) => row.id === id)
    if (now === undefined || now.inFlight > 0 || now.usedAt !== (usedAt ?? now.usedAt)) return
    const change = { state: 'unloading', cleanupInMs: CLEANUP_CLAIM_MS } as const
    if (!(await replicas.change(id, change, { from: ['loaded', 'idle'] }))) return
    announce(model)
    await drain([now])
  }

  function begin(models: readonly string[], isOwn: boolean): Promise<boolean> {
    const settled = keep(settle(models, isOwn)).catch((error: unknown) => {
      if (!closing.signal.aborted) logger.warn({ err: error }, 'replicas of changed models could not be let go')
      return false
    })
    settling.add(settled)
    return settled.finally(() => settling.delete(settled))
  }

  /** The look at the folder that found the change has begun to settle it already. */
  async function settleOwn(models: readonly string[]): Promise<number> {
    const told = await Promise.all(settling)
    await begin(models, !told.includes(true))
    return old.count(models)
  }

  async function within(work: Promise<void>, ms: number): Promise<void> {
    const done = new AbortController()
    const either = AbortSignal.any([done.signal, closing.signal])
    await Promise.race([work, clock.sleep(ms, { signal: either }).catch(() => undefined)])
    done.abort()
  }

  return {
    note: (models) => void begin(models, false),
    settle: (models) => keep(settleOwn(models)).catch(() => 0),
    letGo: (replica, options) =>
      keep(letGo(replica, options)).catch((error: unknown) =>
        logger.warn({ err: error }, 'a replica could not be let go'),
      ),
    async close() {
      closing.abort(new Error('the server stops'))
      while (running.size > 0) await Promise.allSettled(running)
    },
  }
}
