import { SvcError } from '@svc/errors'
import {
  type Candidate,
  callWithFailover,
  type FailoverRequest,
  streamWithFailover,
  TARGET_FULL,
  TARGET_SKIPPED,
} from '@svc/proxy/failover'
import type { AuditSink } from '../../../audit/audit-event.ts'
import type { ModelConfig } from '../../../catalog/model-config.ts'
import { listFailoverTargets } from '../../../catalog/serving.ts'
import type { Clock, MaybePromise } from '../../../ports.ts'
import { type ModelSlots, type Release, rejectAdmission, toRetryAfterMs, withSlot } from '../../core/admission.ts'
import type { CallAccount } from '../../core/call-account.ts'
import { NO_USAGE, type PredictionStep, type StepBatches } from '../../core/events.ts'
import type { ChargedTime, RequestLedger } from '../../core/ledger.ts'
import type { RequestContext } from '../../core/ports.ts'
import { followLive } from '../../operations/live-result.ts'
import type { OperationFigures } from '../../operations/operation.ts'
import type { FailedAttempts } from './failed-attempts.ts'
import type { FailoverGroups } from './groups.ts'
import type { Prober } from './prober.ts'

/** Serves failover groups through their targets. */
export interface Failover {
  /** Asks the targets one by one. The first one that produces content serves the request. */
  predict(model: ModelConfig, task: FailoverTask, asking: TargetCall<StepBatches>): StepBatches
  perform<Result extends OperationFigures>(
    model: ModelConfig,
    task: FailoverTask,
    asking: TargetCall<Promise<Result>>,
  ): Promise<Result>
}

/** The call of a target. */
export interface TargetCall<Result> {
  /** Opens the account of a target: from then on the target counts as the server of the request. */
  open(target: ModelConfig): CallAccount
  /** Calls the model of an account. */
  run(account: CallAccount): Result
}

/** A request to a failover group. */
export interface FailoverTask {
  readonly context: Pick<RequestContext, 'requestId' | 'route' | 'principal' | 'signal'>
  readonly ledger: RequestLedger
  readonly bodyBytes: number
}

/** Options of {@link createFailover}. */
export interface FailoverOptions {
  readonly groups: FailoverGroups
  /** The limits of targets apply to requests of failover groups too. */
  readonly slots: ModelSlots
  readonly prober: Pick<Prober, 'watch'>
  readonly failed: FailedAttempts
  /** Records requests that find every target full. */
  readonly audit: AuditSink
  readonly clock: Pick<Clock, 'now' | 'monotonic'>
}

/** Creates the failover between requests and serving models. */
export function createFailover({ groups, slots, prober, failed, audit, clock }: FailoverOptions): Failover {
  return {
    async *predict(model, task, { open, run }) {
      const { request, findTarget } = begin(model, task)
      const { context } = task
      let startedAt = 0
      let account: CallAccount | undefined
      const attempt = (candidate: Candidate): StepBatches => {
        startedAt = clock.monotonic()
        account = undefined
        const target = findTarget(candidate)
        const start = (release: Release): StepBatches => {
          // From here on a client that leaves counts as served by this target, even without content.
          account = open(target)
          try {
            return watchAttempt(run(account), release)
          } catch (error) {
            release()
            throw error
          }
        }
        const taken = takeSlot(target, context)
        return taken instanceof Promise ? startLater(taken, start) : start(taken)
      }
      const onFailed = (): void => drop(account, { task, when: since(startedAt), failed })
      try {
        yield* streamWithFailover({ ...request, onFailed }, { attempt, isContent: (steps) => steps.some(isContent) })
      } catch (error) {
        throw toFailure(error, { model, context })
      } finally {
        prober.watch(request.group, model)
      }
    },
    async perform(model, task, { open, run }) {
      const { request, findTarget } = begin(model, task)
      const { context } = task
      let startedAt = 0
      let account: CallAccount | undefined
      try {
        const onFailed = (): void => drop(account, { task, when: since(startedAt), failed })
        return await callWithFailover({ ...request, onFailed }, async (candidate) => {
          startedAt = clock.monotonic()
          account = undefined
          const target = findTarget(candidate)
          const taken = takeSlot(target, context)
          const release = taken instanceof Promise ? await taken : taken
          account = open(target)
          try {
            return followLive(await run(account), { onEnd: release })
          } catch (error) {
            release()
            throw toTargetFailure(error)
          }
        })
      } catch (error) {
        throw toFailure(error, { model, context })
      } finally {
        prober.watch(request.group, model)
      }
    },
  }

  function since(startedAt: number): ChargedTime {
    return { durationMs: clock.monotonic() - startedAt, at: clock.now() }
  }

  function begin(
    model: ModelConfig,
    { context, ledger, bodyBytes }: FailoverTask,
  ): { request: FailoverRequest; findTarget: (candidate: Candidate) => ModelConfig } {
    const group = groups.get(model)
    const findTarget = ({ model: name }: Candidate): ModelConfig => {
      const target = listFailoverTargets(model).find((one) => one.name === name)?.model
      if (target === undefined) throw toSkipped(`model "${name}" does not exist`)
      if (target.disabled) throw toSkipped(`model "${name}" is disabled`)
      return target
    }
    const onServed = (candidate: Candidate): void => {
      ledger.showServed(candidate.model)
      if (candidate.note !== undefined) ledger.headers.Failover = candidate.note
    }
    return { request: { group, bodyBytes, signal: context.signal, onServed }, findTarget }
  }

  function takeSlot({ name, limits }: ModelConfig, context: FailoverTask['context']): MaybePromise<Release> {
    const check = (release: Release | undefined): Release => {
      if (release !== undefined) return release
      const retryAfterMs = toRetryAfterMs(limits)
      throw new SvcError('rate_limited', `model "${name}" is at capacity`, { code: TARGET_FULL, retryAfterMs })
    }
    return withSlot(slots.take(name, limits.maxConcurrent, context), check)
  }

  /** A client gets the same answer for full targets as for one full model. */
  function toFailure(
    thrown: unknown,
    { model, context }: { readonly model: ModelConfig } & Pick<FailoverTask, 'context'>,
  ): unknown {
    if (!SvcError.is(thrown) || thrown.code !== TARGET_FULL) return thrown
    const why = ': no target that could serve has room'
    const retryAfterMs = thrown.retryAfterMs ?? 0
    return rejectAdmission({ model: model.name, context, why, retryAfterMs }, audit)
  }
}

/** Drops the account of a target that failed, and records what it had used. */
function drop(
  account: CallAccount | undefined,
  {
    task: { ledger, context },
    when,
    failed,
  }: { readonly task: FailoverTask; readonly when: ChargedTime; readonly failed: FailedAttempts },
): void {
  if (account === undefined) return
  const usage = ledger.fail(account, when)
  if (usage === NO_USAGE) return
  failed.settle({
    context,
    requestedModel: ledger.requestedModel,
    usage,
    target: account.model,
    when,
    attribution: ledger.attribution,
  })
}

/** Starts an attempt once its slot is there. A client that leaves before that takes no slot with it. */
async function* startLater(slot: Promise<Release>, start: (release: Release) => StepBatches): StepBatches {
  yield* start(await slot)
}

/** Watches for the end of an attempt without an async generator of its own. `onEnd` runs once. */
function watchAttempt(batches: StepBatches, onEnd: () => void): StepBatches {
  return {
    [Symbol.asyncIterator]() {
      const source = batches[Symbol.asyncIterator]()
      return {
        async next() {
          try {
            const step = await source.next()
            if (step.done === true) onEnd()
            return step
          } catch (error) {
            onEnd()
            throw toTargetFailure(error)
          }
        },
        async return() {
          try {
            await source.return?.()
          } finally {
            onEnd()
          }
          return { done: true, value: undefined }
        },
      }
    },
  }
}

function isContent(step: PredictionStep): boolean {
  if (step.type === 'text-delta' || step.type === 'reasoning-delta') return step.text !== ''
  return step.type === 'tool-call-start' || step.type === 'tool-call-delta'
}

/** Failures of a local model that another target may not have. */
const GONE: ReadonlySet<string> = new Set(['backend_stopped', 'model_load_failed'])

/** Converts the failure of a backend that died or does not load to the failure of a target that is down. */
function toTargetFailure(thrown: unknown): unknown {
  if (!SvcError.is(thrown) || thrown.kind !== 'internal' || !GONE.has(thrown.code)) return thrown
  return new SvcError('unavailable', thrown.message, { code: thrown.code, cause: thrown })
}

function toSkipped(message: string): SvcError {
  return new SvcError('unavailable', message, { code: TARGET_SKIPPED })
}
