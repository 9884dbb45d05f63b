import type { ModelConfig } from '../catalog/model-config.ts'
import type { PredictionStep } from './events.ts'
import type { OperationKind, OperationRequest, OperationResult } from './operations/operation.ts'
import type { GenerationRequest } from './request.ts'
import type { RequestHeader } from './upstream/hop-headers.ts'

/** What a call on a model takes beside the request. */
export interface ExecuteOptions {
  readonly model: ModelConfig
  readonly correlationId: string
  /** The headers of the request that it is done for, of which models of other instances are told some. */
  readonly header?: RequestHeader | undefined
  readonly signal: AbortSignal
}

/** Runs requests of the models it is responsible for: over a gRPC backend, an upstream, in process. */
export interface Executor {
  /**
   * Starts a prediction. Nothing runs before the first pull; ending the iteration early ends the prediction.
   *
   * @throws {SvcError} on the first pull while nothing has been produced, later in between
   */
  predict(request: GenerationRequest, options: ExecuteOptions): AsyncIterable<PredictionStep>
  /** Runs an operation to its end. */
  perform<K extends OperationKind>(request: OperationRequest<K>, options: ExecuteOptions): Promise<OperationResult<K>>
}
