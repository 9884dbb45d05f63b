import type { BackendClient } from '@svc/backend-client'
import type { ExecuteOptions } from '../executor.ts'

/** What a prediction runs with. */
export interface PredictionContext extends ExecuteOptions {
  readonly client: BackendClient
}
