import type { ModelConfig } from '../../catalog/model-config.ts'
import type { SpanScope } from '../../monitoring/spans/span-scope.ts'
import type { MediaUsage, StepBatches, Usage } from '../core/events.ts'
import type { GenerationRequest } from '../core/request.ts'
import type { OperationKind, OperationRequest, OperationResult } from '../operations/operation.ts'
import type { RequestHeader } from '../serving/upstream/hop-headers.ts'

/** The trace of the request that a call is part of. It measures the time that the call waits for its model. */
export interface CallTrace {
  readonly span: SpanScope | undefined
  beginLoad(): void
  endLoad(): void
}

/** Figures of a call whose caller has left. */
export interface LeftFigures {
  readonly usage: Usage
  /** Whether a part of the figures is an estimate. */
  readonly isEstimated: boolean
}

/** Model and circumstances of a call. */
export interface ExecuteOptions {
  readonly model: ModelConfig
  /** @default the call belongs to no request */
  readonly correlationId?: string | undefined
  /** Headers of the client's request. Other instances get some of them. */
  readonly header?: RequestHeader | undefined
  /** @default the call is not a part of a traced request */
  readonly trace?: CallTrace | undefined
  /** Called with the name of the worker that has the model, where clients may know it. @default nobody is told */
  readonly onNode?: ((name: string) => void) | undefined
  /**
   * Called with the figures of a call whose caller leaves before its backend has given them.
   *
   * @default nobody counts them
   */
  readonly onLeft?: ((left: LeftFigures) => void) | undefined
  /**
   * Called with sound, pictures and text that the call has used: the totals so far.
   *
   * @default nobody counts them
   */
  readonly onMedia?: ((media: MediaUsage) => void) | undefined
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
