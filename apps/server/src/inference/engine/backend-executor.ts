import { SvcError } from '@svc/errors'
import type { Placement } from '../../placement/placement.ts'
import type { ModelLease } from '../../residency/residency.ts'
import type { SlotStore } from '../../slots/slot-store.ts'
import { NO_USAGE, type PredictionStep } from '../core/events.ts'
import type { GenerationRequest } from '../core/request.ts'
import { estimateInputs } from '../operations/estimate-inputs.ts'
import { followLive } from '../operations/live-result.ts'
import type { OperationFigures } from '../operations/operation.ts'
import type { ConversationWriter, OperationContext } from '../operations/operation-runner.ts'
import { checkOperation, runOperation } from '../operations/run-operation.ts'
import { type ChoiceRun, runChoices } from '../prediction/choice-run.ts'
import type { PlanPrediction } from '../prediction/plan.ts'
import type { PredictionContext } from '../prediction/prediction-context.ts'
import { carryHopHeaders, carryTrace } from '../serving/upstream/hop-headers.ts'
import { toPredictionError } from './backend-failure.ts'
import type { ExecuteOptions, Executor } from './executor.ts'

/** Maximum number of attempts: a backend that died or lost its model is asked once more. */
const ATTEMPTS = 2

/** The backend holds no model, or another one. */
const LOST_MODEL: ReadonlySet<string> = new Set(['model_not_loaded', 'model_identity_mismatch'])

/** Parts of {@link createBackendExecutor}. */
export interface BackendExecutorParts {
  readonly prompts?: ConversationWriter | undefined
  readonly drafts: OperationContext['drafts']
  /** Keeps saved states of slots. @default none are saved */
  readonly slots?: SlotStore | undefined
  /** @default {@link runOperation} */
  readonly run?: typeof runOperation | undefined
}

/** Runs requests on gRPC model backends: has the model placed and holds its lease while the request runs. */
export function createBackendExecutor(
  placement: Placement,
  plan: PlanPrediction,
  { run = runOperation, ...parts }: BackendExecutorParts,
): Executor {
  return {
    async *predict(request, options) {
      if (request.kind === 'completion' && request.loads === false) {
        yield [{ type: 'usage', usage: NO_USAGE }]
        return
      }
      let produced = false
      for (let attempt = 1; ; attempt += 1) {
        const lease = await place(placement, options, request)
        /** The choice that the backend is working on. */
        let asked: ChoiceRun | undefined
        try {
          const context = toContext(lease, options)
          let usage = NO_USAGE
          /** Steps of the last choice that go with those after them. */
          let kept: readonly PredictionStep[] = []
          for (const choice of runChoices(request, await plan(request, context), context)) {
            if (kept.length > 0) yield kept
            asked = choice
            const beginning = choice.begin()
            const first = beginning instanceof Promise ? await beginning : beginning
            produced ||= first.length > 0
            if (first.length > 0) yield first
            kept = []
            if (choice.generates && !request.stream) {
              kept = choice.take([await choice.askForWhole()])
              produced ||= kept.length > 0
            } else if (choice.generates) {
              for await (const replies of choice.askForStream()) {
                const steps = choice.take(replies)
                produced ||= steps.some(({ type }) => type !== 'progress')
                if (steps.length > 0) yield steps
              }
            }
            const ending = choice.end()
            kept = [...kept, ...(ending instanceof Promise ? await ending : ending)]
            produced ||= kept.length > 0
            usage = choice.usage
          }
          asked = undefined
          yield [...kept, { type: 'usage', usage }]
          return
        } catch (error) {
          if (!options.signal.aborted) asked = undefined
          const isLast = produced || attempt >= ATTEMPTS
          if (!(await mayTryAgain(lease, error, { isLast, signal: options.signal }))) throw toPredictionError(error)
        } finally {
          if (asked !== undefined) options.onLeft?.(await asked.countLeft())
          lease.release()
        }
      }
    },
    perform(request, options) {
      const perform = () =>
        withModel(placement, options, async (lease) => {
          try {
            return await run(request, { ...parts, ...toContext(lease, options) })
          } catch (error) {
            if (options.signal.aborted) leave(options, estimateInputs(request))
            throw error
          }
        })
      const check = checkOperation(request, { ...parts, model: options.model })
      return check === undefined ? perform() : check.then(perform)
    },
  }
}

/** Tells the figures of an operation that was left, of which only the inputs are known. */
function leave({ onLeft }: ExecuteOptions, promptTokens: number): void {
  onLeft?.({ usage: { ...NO_USAGE, promptTokens }, isEstimated: promptTokens > 0 })
}

/** Circumstances of a call. Other instances learn how many servers the request has passed. */
function toContext({ client, weights }: ModelLease, options: ExecuteOptions): PredictionContext {
  const { model, header, correlationId = '' } = options
  return {
    ...options,
    correlationId,
    loadedWeights: weights,
    client: model.serving.kind === 'instance' ? carryHopHeaders(client, header) : carryTrace(client, header),
  }
}

async function place(
  placement: Placement,
  { model, signal, correlationId, header, trace, onNode }: ExecuteOptions,
  request?: GenerationRequest,
): Promise<ModelLease> {
  trace?.beginLoad()
  const lease = await placement.place(model, { signal, correlationId, header, trace, request })
  trace?.endLoad()
  if (lease.node !== undefined) onNode?.(lease.node)
  return lease
}

async function withModel<T extends OperationFigures>(
  placement: Placement,
  options: ExecuteOptions,
  work: (lease: ModelLease) => Promise<T>,
): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    const lease = await place(placement, options)
    let isHanded = false
    try {
      const result = await work(lease)
      isHanded = true
      return followLive(result, {
        toFailure(error) {
          if (SvcError.is(error)) lease.reportFailure(error)
          return toPredictionError(error)
        },
        onEnd: () => lease.release(),
      })
    } catch (error) {
      if (!(await mayTryAgain(lease, error, { isLast: attempt >= ATTEMPTS, signal: options.signal })))
        throw toPredictionError(error)
    } finally {
      if (!isHanded) lease.release()
    }
  }
}

/** Decides whether a failed request goes to a fresh backend. Call it only while the client has seen nothing. */
async function mayTryAgain(
  lease: ModelLease,
  error: unknown,
  { isLast, signal }: { readonly isLast: boolean; readonly signal: AbortSignal },
): Promise<boolean> {
  if (!SvcError.is(error)) return false
  lease.reportFailure(error)
  if (isLast || signal.aborted) return false
  return LOST_MODEL.has(error.code ?? '') || (error.kind === 'unavailable' && (await lease.hasDied()))
}
