import type { ModelConfig } from '../models/model-config.ts'
import type { PredictionEvent } from './events.ts'
import type { InferenceRequest } from './request.ts'

/** Runs predictions of the models it is responsible for: over a gRPC backend, an upstream, in process. */
export interface Executor {
  /**
   * Starts a prediction. Nothing runs before the first pull; ending the iteration early ends the prediction.
   *
   * @throws {SvcError} on the first pull while nothing has been produced, later in between
   */
  predict(
    request: InferenceRequest,
    options: { readonly model: ModelConfig; readonly correlationId: string; readonly signal: AbortSignal },
  ): AsyncIterable<PredictionEvent>
}
