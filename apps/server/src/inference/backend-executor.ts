import type { BackendClient } from '@svc/backend-client'
import { SvcError } from '@svc/errors'
import type { ModelConfig } from '../models/model-config.ts'
import type { ModelLease, Residency } from '../models/residency.ts'
import { toPredictionError } from './backend-failure.ts'
import type { PredictionEvent, Usage } from './events.ts'
import type { Executor } from './executor.ts'
import { createReplyDecoder } from './reply-decoder.ts'
import type { InferenceRequest } from './request.ts'
import { toPredictOptions } from './to-predict-options.ts'

interface Prediction {
  readonly request: InferenceRequest
  readonly model: ModelConfig
  readonly correlationId: string
  readonly signal: AbortSignal
}

/** Predictions on gRPC model backends: loads the model on first use and keeps it busy while the prediction runs. */
export function createBackendExecutor(residency: Residency): Executor {
  return {
    async *predict(request, options) {
      const prediction = { request, ...options }
      let produced = false
      for (let attempt = 0; ; attempt += 1) {
        const lease = await residency.acquire(options.model, { signal: options.signal })
        try {
          for await (const event of runChoices(lease.client, prediction)) {
            produced = true
            yield event
          }
          return
        } catch (error) {
          // A backend that lost its model has answered nothing yet: load once more and try again.
          if (!shouldReload(lease, error) || produced || attempt > 0) throw toPredictionError(error)
        } finally {
          lease.release()
        }
      }
    },
  }
}

function shouldReload(lease: ModelLease, error: unknown): boolean {
  if (!SvcError.is(error)) return false
  lease.reportFailure(error)
  return error.code === 'model_not_loaded'
}

/** The choices of a request one after the other; the prompt counts once, the answers add up. */
async function* runChoices(client: BackendClient, prediction: Prediction): AsyncGenerator<PredictionEvent> {
  const total = { promptTokens: 0, completionTokens: 0, promptMs: 0, generationMs: 0 }
  for (let choice = 0; choice < prediction.request.choices; choice += 1) {
    const usage: Usage = yield* runChoice(client, prediction, choice)
    total.promptTokens ||= usage.promptTokens
    total.completionTokens += usage.completionTokens
    total.promptMs += usage.promptMs
    total.generationMs += usage.generationMs
  }
  yield { type: 'usage', usage: total }
}

async function* runChoice(
  client: BackendClient,
  prediction: Prediction,
  choice: number,
): AsyncGenerator<PredictionEvent, Usage> {
  const { request, model, correlationId, signal } = prediction
  const options = toPredictOptions(model, request, { correlationId, choice })
  const decoder = createReplyDecoder({
    choice,
    maxTokens: options.Tokens ?? 0,
    contextSize: model.contextSize ?? 0,
  })
  if (request.stream) {
    for await (const reply of client.predictStream(options, { signal })) yield* decoder.reply(reply)
  } else {
    yield* decoder.reply(await client.predict(options, { signal }))
  }
  yield* decoder.end()
  return decoder.usage
}
