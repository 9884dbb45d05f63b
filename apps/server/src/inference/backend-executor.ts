import { SvcError } from '@svc/errors'
import type { ModelLease, Residency } from '../residency/residency.ts'
import { toPredictionError } from './backend-failure.ts'
import { NO_USAGE } from './events.ts'
import type { ExecuteOptions, Executor } from './executor.ts'
import type { ConversationWriter } from './operations/operation-runner.ts'
import { runOperation } from './operations/run-operation.ts'
import type { Predictor } from './prediction/predict.ts'
import type { PredictionContext } from './prediction/prediction-context.ts'
import { carryHopHeaders } from './upstream/hop-headers.ts'

/** The most attempts of a request: a backend that died or lost its model gets one more. */
const ATTEMPTS = 2

/** Requests on gRPC model backends: loads the model on first use and keeps it busy while the request runs. */
export function createBackendExecutor(
  residency: Residency,
  predict: Predictor,
  parts: { readonly prompts?: ConversationWriter | undefined } = {},
): Executor {
  return {
    async *predict(request, options) {
      if (request.kind === 'completion' && request.loads === false) {
        yield [{ type: 'usage', usage: NO_USAGE }]
        return
      }
      let produced = false
      for (let attempt = 1; ; attempt += 1) {
        const lease = await residency.acquire(options.model, { signal: options.signal })
        try {
          const prediction = await predict(request, toContext(lease, options))
          for (const choice of prediction.choices) {
            for await (const replies of await choice.ask()) {
              const steps = choice.take(replies)
              produced ||= steps.some(({ type }) => type !== 'progress')
              if (steps.length > 0) yield steps
            }
            const last = await choice.end()
            produced ||= last.length > 0
            yield last
          }
          yield [{ type: 'usage', usage: prediction.usage }]
          return
        } catch (error) {
          const isLast = produced || attempt >= ATTEMPTS
          if (!(await mayTryAgain(lease, error, { isLast, signal: options.signal }))) throw toPredictionError(error)
        } finally {
          lease.release()
        }
      }
    },
    perform: (request, options) =>
      withModel(residency, options, (lease) => runOperation(request, { ...parts, ...toContext(lease, options) })),
  }
}

/** The circumstances of a call; other instances are told how many servers the request has passed. */
function toContext({ client }: ModelLease, options: ExecuteOptions): PredictionContext {
  const { model, header, correlationId = '' } = options
  return {
    ...options,
    correlationId,
    client: model.serving.kind === 'instance' ? carryHopHeaders(client, header) : client,
  }
}

async function withModel<T>(
  residency: Residency,
  { model, signal }: ExecuteOptions,
  work: (lease: ModelLease) => Promise<T>,
): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    const lease = await residency.acquire(model, { signal })
    try {
      return await work(lease)
    } catch (error) {
      if (!(await mayTryAgain(lease, error, { isLast: attempt >= ATTEMPTS, signal }))) throw toPredictionError(error)
    } finally {
      lease.release()
    }
  }
}

/** Whether a request that failed before its client saw anything goes to a fresh backend. */
async function mayTryAgain(
  lease: ModelLease,
  error: unknown,
  { isLast, signal }: { readonly isLast: boolean; readonly signal: AbortSignal },
): Promise<boolean> {
  if (!SvcError.is(error)) return false
  lease.reportFailure(error)
  if (isLast || signal.aborted) return false
  return error.code === 'model_not_loaded' || (error.kind === 'unavailable' && (await lease.hasDied()))
}
