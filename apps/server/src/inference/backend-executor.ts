import type { BackendClient } from '@svc/backend-client'
import { SvcError } from '@svc/errors'
import type { ModelLease, Residency } from '../residency/residency.ts'
import { toPredictionError } from './backend-failure.ts'
import { NO_USAGE } from './events.ts'
import type { ExecuteOptions, Executor } from './executor.ts'
import type { ConversationWriter } from './operations/operation-runner.ts'
import { runOperation } from './operations/run-operation.ts'
import type { Predictor } from './prediction/predict.ts'
import { carryHopHeaders } from './upstream/hop-headers.ts'

/** Most attempts of a request: a backend that died or lost its model is given one more. */
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
        yield { type: 'usage', usage: NO_USAGE }
        return
      }
      let produced = false
      for (let attempt = 1; ; attempt += 1) {
        const lease = await residency.acquire(options.model, { signal: options.signal })
        try {
          for await (const event of predict(request, { ...options, client: clientOf(lease, options) })) {
            produced ||= event.type !== 'progress'
            yield event
          }
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
      withModel(residency, options, (lease) =>
        runOperation(request, { ...options, ...parts, client: clientOf(lease, options) }),
      ),
  }
}

/** Another instance is told how many servers the request has passed. */
function clientOf({ client }: ModelLease, { model, header }: ExecuteOptions): BackendClient {
  return model.serving.kind === 'instance' ? carryHopHeaders(client, header) : client
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

/**
 * Whether a failed request goes to a fresh backend: its client has seen nothing of an answer yet, and the backend lost its
 * model or its process died.
 */
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
