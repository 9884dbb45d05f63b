import { BackendService, PredictOptions, Reply } from '../gen/backend.ts'
import { serverStream, unary } from '../method.ts'

/** Text generation. */
export const predictMethods = {
  /** One completion, whole. */
  predict: unary(BackendService.predict, PredictOptions, Reply),
  /** One completion, piece by piece. Every reply is passed on, also one without text. */
  predictStream: serverStream(BackendService.predictStream, PredictOptions, Reply),
} as const
