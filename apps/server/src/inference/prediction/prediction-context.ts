import type { BackendClient } from '@svc/backend-client'
import type { WeightsIdentity } from '../../catalog/weights-identity.ts'
import type { ExecuteOptions } from '../engine/executor.ts'

/** Circumstances of a prediction on a loaded model. */
export interface PredictionContext extends ExecuteOptions {
  readonly correlationId: string
  readonly client: BackendClient
  /** The weights that the model was loaded from. @default unknown */
  readonly loadedWeights?: WeightsIdentity | undefined
}
