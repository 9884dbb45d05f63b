import { SvcError } from '@svc/errors'
import type { Bus } from '../../bus/bus.ts'
import type { ModelConfig } from '../../catalog/model-config.ts'
import type { Clock } from '../../ports.ts'
import { createLoadWaiters, type LoadWaiters } from '../../residency/load-waiters.ts'
import { notBegun, type RunningLoad } from '../contract/load-object.ts'
import type { LoadJob, LoadJobs } from '../loads/load-jobs.ts'
import type { LoadRunner } from '../loads/load-runner.ts'
import { loadGoesOn } from '../loads/to-loading.ts'
import type { FailedModels } from './failed-models.ts'
import { findJobs, toLoadKey } from './find-jobs.ts'

/** Pause between two looks at a load, milliseconds. A hint ends it. */
const LOOK_MS = 2000
/** Pause before a lost replica is looked at again, milliseconds. */
const LOST_MS = 500
/** Starts of one model that ended without a replica and without a failure. */
const MAX_STARTS = 3

/** Code of a wait that ended because its model has another configuration now, or is gone. */
export const MODEL_CHANGED = 'model_changed'

/** Requests that wait for a model to be loaded on a worker. */
export interface LoadWaits {
  /**
   * Waits until a model has a replica that may get requests. Begins the load unless a server runs it.
   *
   * @param options.waitMs 0 waits without limit
   * @throws {SvcError} `model_load_failed` (internal); {@link MODEL_CHANGED}; `model_load_cooldown`, `model_loading`,
   *   `no_healthy_node`, `shutting_down` (unavailable); the abort
   */
  join(model: ModelConfig, options: { readonly signal: AbortSignal; readonly waitMs: number }): Promise<void>
  /** Refuses everybody who waits. */
  close(): void
}

/** Parts of {@link createLoadWaits}. */
export interface LoadWaitsParts {
  readonly jobs: Pick<LoadJobs, 'list'>
  readonly runner: Pick<LoadRunner, 'start'>
  readonly revisionOf: (model: ModelConfig) => string
  /** Finds a model as it is now. */
  readonly findModel: (name: string) => ModelConfig | undefined
  /** Brings the changes of other servers here, in case no hint came. Rejects never. */
  readonly followModels: () => Promise<void>
  /**
   * Reads the state anew. @returns whether a replica may get requests; `lost`: there is one whose process does not answer,
   * and which keeps its place until its worker has noticed
   */
  readonly findState: (model: ModelConfig, signal: AbortSignal) => Promise<'served' | 'lost' | 'none'>
  /** @throws {SvcError} `no_healthy_node` for a model that no node can hold now */
  readonly checkPlace: (model: ModelConfig, signal: AbortSignal) => Promise<void>
  readonly failures: FailedModels
  readonly bus: Pick<Bus, 'subscribe'>
  readonly clock: Clock
}

interface Wait {
  readonly model: ModelConfig
  readonly waiters: LoadWaiters<void>
  latest: RunningLoad
  /** Ends the pause. */
  wake: AbortController
}

/** Creates the waits of a server. */
export function createLoadWaits(parts: LoadWaitsParts): LoadWaits {
  const { runner, revisionOf, findModel, followModels, findState, checkPlace, failures, clock } = parts
  const waits = new Map<string, Wait>()
  const closing = new AbortController()
  const endHints = parts.bus.subscribe('loads.changed', ({ model }) => {
    for (const wait of waits.values()) if (wait.model.name === model) wait.wake.abort()
  })

  /** Looks until the model is served, has failed, or nobody waits. Never rejects. */
  async function watch(key: string, wait: Wait): Promise<void> {
    const { model, waiters } = wait
    let starts = 0
    let isFirst = true
    let isServed = false
    try {
      while (!waiters.isEmpty()) {
        wait.wake = new AbortController()
        // A load that ends between the two looks has left its replica.
        const { running, failed, isElsewhere = false } = await findJobs(model, parts)
        const state = await findState(model, closing.signal)
        isServed = state === 'served'
        if (isServed) break
        if (state === 'lost') {
          await clock.sleep(LOST_MS, { signal: wait.wake.signal }).catch(() => undefined)
          continue
        }
        if (failed !== undefined) throw isFirst ? coolingDown(model, failed) : noteFailure(model, failed)
        isFirst = false
        wait.latest = running ?? notBegun(model.name)
        if (running === undefined) await followModels()
        if (isChanged(model)) throw changed(model)
        if (running === undefined && starts >= MAX_STARTS) throw endedWithout(model)
        if (running === undefined && !(await hasPlace(model))) continue
        if (!isElsewhere && (await begin(model))) starts += 1
        await clock.sleep(LOOK_MS, { signal: wait.wake.signal }).catch(() => undefined)
      }
      waits.delete(key)
      if (isServed) failures.succeeded(model)
      waiters.admitAll(() => undefined)
    } catch (error) {
      waits.delete(key)
      waiters.refuseAll(error)
    }
  }
  function isChanged(model: ModelConfig): boolean {
    const now = findModel(model.name)
    return now?.name !== model.name || now.disabled || revisionOf(now) !== revisionOf(model)
  }
  /**
   * @returns false when the place that is missed belongs to a load of another server, which has begun or ended meanwhile
   * @throws as {@link LoadWaitsParts.checkPlace}
   */
  async function hasPlace(model: ModelConfig): Promise<boolean> {
    try {
      await checkPlace(model, closing.signal)
      return true
    } catch (error) {
      if ((await findJobs(model, parts)).running !== undefined || (await findState(model, closing.signal)) !== 'none')
        return false
      throw error
    }
  }
  function noteFailure(model: ModelConfig, failed: LoadJob): SvcError {
    failures.failed(model)
    return toFailure(model, failed)
  }
  /** Claims the load. A load that another server runs, and whose lease has not ended, stays with that one. */
  const begin = (model: ModelConfig): Promise<boolean> =>
    runner.start({ key: toLoadKey(model), model: model.name, replicaIndex: 0, configRevision: revisionOf(model) })

  return {
    async join(model, { signal, waitMs }) {
      if (closing.signal.aborted) throw shuttingDown()
      failures.check(model)
      const key = `${revisionOf(model)} ${model.name}`
      const known = waits.get(key)
      const wait: Wait = known ?? {
        model,
        waiters: createLoadWaiters<void>(clock),
        latest: notBegun(model.name),
        wake: new AbortController(),
      }
      const joined = wait.waiters.join({ signal, waitMs, tooLong: () => loadGoesOn(wait.latest) })
      if (known === undefined) {
        waits.set(key, wait)
        void watch(key, wait)
      }
      return joined
    },
    close() {
      closing.abort(shuttingDown())
      endHints()
      for (const { waiters, wake } of waits.values()) {
        waiters.refuseAll(shuttingDown())
        wake.abort()
      }
    },
  }
}

function toFailure({ name }: ModelConfig, { error }: LoadJob): SvcError {
  return new SvcError('internal', error ?? `could not load model "${name}"`, { code: 'model_load_failed' })
}

function coolingDown({ name }: ModelConfig, { error = '', toldForMs = 0 }: LoadJob): SvcError {
  const message = `model "${name}" load is in cooldown after a recent failure: ${error}`
  return new SvcError('unavailable', message, { code: 'model_load_cooldown', retryAfterMs: Math.max(1, toldForMs) })
}

function changed({ name }: ModelConfig): SvcError {
  const message = `model "${name}" was changed while it was loaded`
  return new SvcError('unavailable', message, { code: MODEL_CHANGED, retryAfterMs: LOST_MS })
}

function endedWithout({ name }: ModelConfig): SvcError {
  return new SvcError('unavailable', `model "${name}" was loaded and lost again`, {
    code: 'model_stopped',
    retryAfterMs: LOOK_MS,
  })
}

function shuttingDown(): SvcError {
  return new SvcError('unavailable', 'the server is shutting down', { code: 'shutting_down' })
}
