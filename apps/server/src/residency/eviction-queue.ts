import { SvcError } from '@svc/errors'
import type { Clock, Logger } from '../ports.ts'
import {
  type EvictionPlan,
  type EvictionPolicy,
  type PlannedModel,
  planEviction,
  type WaitingLoad,
} from './eviction-plan.ts'

/** A loaded model that can be evicted. */
export interface EvictableModel extends Omit<PlannedModel, 'sizeBytes' | 'isReplaced'> {
  /** Identity of the loaded model. */
  readonly key: object
  /** Gives the memory that it takes in bytes; 0 when unknown. */
  size(): Promise<number>
  /** Takes it out of service at once; resolves when its memory is free. */
  leave(options: { readonly force: boolean }): Promise<void>
}

/** A load that asks for a place. */
export interface PlaceRequest extends WaitingLoad {
  readonly signal: AbortSignal
  /** Whether a request still waits for the load. Without one it gets a place only if a place is free at once. */
  isWanted(): boolean
}

/** Queue of loads that wait for a place in memory; evicts models for them. */
export interface EvictionQueue {
  /**
   * Resolves when the model may be loaded, after the evicted models have left. The load keeps its place until the
   * returned function is called: call it once the model is in service or its load has failed.
   *
   * @throws SvcError `eviction_impossible` (unavailable) when no place became free in time, or the signal's reason
   */
  admit(request: PlaceRequest): Promise<() => void>
  /** Checks all waiting loads again. Call it when a model has become idle or has left. */
  look(): void
}

/** Options of {@link createEvictionQueue}. */
export interface EvictionQueueOptions {
  /** Gives the current policy; called before every decision. */
  readonly policy: () => EvictionPolicy
  /** Lists the models in memory, without running loads. */
  readonly evictableModels: () => readonly EvictableModel[]
  /** Called when a model is evicted for another. */
  readonly onEvict?: (() => void) | undefined
  readonly clock: Clock
  readonly logger: Logger
}

interface Waiting {
  readonly request: PlaceRequest
  /** Resolves with the departures to wait for. */
  admit(departures: readonly Promise<void>[]): void
  refuse(error: unknown): void
  /** Plan of the last check. */
  plan: EvictionPlan | undefined
}

/** Minimum pause between two checks, for any setting. */
const MIN_RETRY_MS = 10

/** Creates the function that decides for one waiting load. It runs without a pause from the plan to the last departure. */
function createDecision(
  { evictableModels, onEvict, logger }: EvictionQueueOptions,
  { waiting, admitted }: { readonly waiting: Set<Waiting>; readonly admitted: Set<WaitingLoad> },
) {
  /** Models that leave for an admitted load. */
  const replaced = new WeakSet<object>()

  return (one: Waiting, policy: EvictionPolicy, sizes: ReadonlyMap<string, number>): void => {
    const { request } = one
    const loadedModels = evictableModels().map((evictableModel) => ({
      ...describe(evictableModel),
      evictableModel,
      isReplaced: replaced.has(evictableModel.key),
      sizeBytes: sizes.get(evictableModel.name) ?? 0,
    }))
    const plan = planEviction({ waitingLoad: request, loadedModels, admitted: [...admitted], policy })
    const hasWaited = one.plan !== undefined
    one.plan = plan
    if (!plan.isPossible) {
      if (plan.isPinned) one.refuse(createRefusal(one, policy))
      return
    }
    if ((hasWaited || plan.evict.length > 0) && !request.isWanted()) return
    waiting.delete(one)
    admitted.add(request)
    one.admit(
      plan.evict.map(({ evictableModel, name, isBusy }) => {
        logger.info({ model: name, for: request.name, busy: isBusy }, 'model is evicted for another one')
        replaced.add(evictableModel.key)
        onEvict?.()
        return evictableModel.leave({ force: isBusy })
      }),
    )
  }
}

/** Creates an empty queue. Waiting loads are served first come, first served. */
export function createEvictionQueue(options: EvictionQueueOptions): EvictionQueue {
  const { clock } = options
  const waiting = new Set<Waiting>()
  const admitted = new Set<WaitingLoad>()
  let isLooking = false
  let isOutdated = false
  let looked: Promise<void> = Promise.resolve()

  const decide = createDecision(options, { waiting, admitted })
  const lookOnce = async (): Promise<void> => {
    for (const one of [...waiting]) {
      try {
        const policy = options.policy()
        const sizes = policy.largestFirst ? await measure(options.evictableModels()) : new Map<string, number>()
        if (waiting.has(one)) decide(one, policy, sizes)
      } catch (error) {
        one.refuse(error)
      }
    }
  }
  const lookUntilCurrent = async (): Promise<void> => {
    while (isOutdated) {
      isOutdated = false
      await lookOnce()
    }
    isLooking = false
  }
  const look = (): void => {
    if (waiting.size === 0) return
    isOutdated = true
    if (isLooking) return
    isLooking = true
    looked = lookUntilCurrent()
  }
  /** Checks repeatedly; resolves with the refusal when the time is over. */
  const waitForRefusal = async (one: Waiting, signal: AbortSignal): Promise<SvcError> => {
    const begun = clock.monotonic()
    await looked
    for (;;) {
      const policy = options.policy()
      const leftMs = policy.patienceMs - (clock.monotonic() - begun)
      if (leftMs <= 0) return createRefusal(one, policy)
      await clock.sleep(Math.min(leftMs, Math.max(MIN_RETRY_MS, policy.retryIntervalMs)), { signal })
      look()
      await looked
    }
  }
  /** Waits for a turn; resolves with the departures to wait for. */
  const queue = (request: PlaceRequest, done: AbortSignal): Promise<readonly Promise<void>[]> =>
    new Promise((resolve, reject) => {
      const one: Waiting = {
        request,
        admit: resolve,
        refuse(error) {
          waiting.delete(one)
          reject(error)
        },
        plan: undefined,
      }
      waiting.add(one)
      request.signal.addEventListener('abort', () => one.refuse(request.signal.reason), { signal: done })
      look()
      void waitForRefusal(one, done).then(one.refuse, () => undefined)
    })

  return {
    look,
    async admit(request) {
      request.signal.throwIfAborted()
      const done = new AbortController()
      const giveBack = () => {
        if (admitted.delete(request)) look()
      }
      try {
        await Promise.all(await queue(request, done.signal))
        request.signal.throwIfAborted()
        return giveBack
      } catch (error) {
        giveBack()
        throw error
      } finally {
        done.abort()
      }
    },
  }
}

function describe(evictableModel: EvictableModel): Omit<PlannedModel, 'sizeBytes' | 'isReplaced'> {
  const { name, groups, isPinned, isBusy, isLeaving, usedAt } = evictableModel
  return { name, groups, isPinned, isBusy, isLeaving, usedAt }
}

/** Reads the sizes by name. */
async function measure(evictableModels: readonly EvictableModel[]): Promise<Map<string, number>> {
  const sizes = await Promise.all(evictableModels.map((evictableModel) => evictableModel.size().catch(() => 0)))
  return new Map(evictableModels.map(({ name }, index) => [name, sizes[index] ?? 0]))
}

function createRefusal({ request, plan }: Waiting, policy: EvictionPolicy): SvcError {
  const isGroup = plan?.isPossible === false && plan.reason === 'group'
  const isPinned = plan?.isPossible === false && plan.isPinned
  const who = isGroup ? 'models of its concurrency groups' : `as many models as may be (${policy.maxActive})`
  const message = `no room to load model "${request.name}": ${who} are ${isPinned ? 'pinned' : 'at work'}`
  return new SvcError('unavailable', message, {
    code: 'eviction_impossible',
    retryAfterMs: Math.max(1000, policy.retryIntervalMs),
  })
}
