import { BackendDefinition } from '../gen/backend.ts'
import { serverStream, unary } from '../method.ts'

const { fullName, methods } = BackendDefinition

/** Text generation. */
export const predictMethods = {
  /** One completion, whole. */
  predict: unary(fullName, methods.predict),
  /** One completion, piece by piece. Every reply is passed on, also one without text. */
  predictStream: serverStream(fullName, methods.predictStream),
} as const
