import type { ModelConfig } from '../catalog/model-config.ts'
import type { StepBatches } from './events.ts'
import type { OperationKind, OperationRequest, OperationResult } from './operations/operation.ts'
import type { GenerationRequest } from './request.ts'
import type { RequestHeader } from './upstream/hop-headers.ts'

/** Measures how long a call waits for its model. */
export interface LoadTrace {
  beginLoad(): void
  endLoad(): void
}

/** Model and circumstances of a call. */
export interface ExecuteOptions {
  readonly model: ModelConfig
  /** @default the call belongs to no request */
  readonly correlationId?: string | undefined
  /** Headers of the client's request. Other instances get some of them. */
  readonly header?: RequestHeader | undefined
  /** Told when the call begins to wait for its model, and when it has it. */
  readonly trace?: LoadTrace | undefined
  readonly signal: AbortSignal
}

/** Runs requests on the models of gRPC backends. */
export interface Executor {
  /**
   * Starts a prediction. Nothing runs before the first pull; ending the iteration early ends the prediction.
   *
   * @throws {SvcError} on the first pull when the request fails before its first step, on a later pull otherwise
   */
  predict(request: GenerationRequest, options: ExecuteOptions): StepBatches
  /** Runs an operation and gives its result. */
  perform<K extends OperationKind>(request: OperationRequest<K>, options: ExecuteOptions): Promise<OperationResult<K>>
}
