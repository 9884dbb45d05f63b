import type { BackendClient } from '@svc/backend-client'
import type { ExecuteOptions } from '../engine/executor.ts'

/** Circumstances of a prediction on a loaded model. */
export interface PredictionContext extends ExecuteOptions {
  readonly correlationId: string
  readonly client: BackendClient
}
