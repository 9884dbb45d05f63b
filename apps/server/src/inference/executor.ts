import type { ModelConfig } from '../catalog/model-config.ts'
import type { StepBatches } from './events.ts'
import type { OperationKind, OperationRequest, OperationResult } from './operations/operation.ts'
import type { GenerationRequest } from './request.ts'
import type { RequestHeader } from './upstream/hop-headers.ts'

/** The model that is asked, and the circumstances of the call. */
export interface ExecuteOptions {
  readonly model: ModelConfig
  /** @default the call belongs to no request */
  readonly correlationId?: string | undefined
  /** The headers of the client's request. Other instances get some of them. */
  readonly header?: RequestHeader | undefined
  readonly signal: AbortSignal
}

/** Runs requests on the models of gRPC backends. */
export interface Executor {
  /**
   * Starts a prediction. Nothing runs before the first pull; ending the iteration early ends the prediction.
   *
   * @throws {SvcError} on the first pull while nothing has been produced, later in between
   */
  predict(request: GenerationRequest, options: ExecuteOptions): StepBatches
  /** Runs an operation to its end. */
  perform<K extends OperationKind>(request: OperationRequest<K>, options: ExecuteOptions): Promise<OperationResult<K>>
}
