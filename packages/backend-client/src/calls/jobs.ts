import { BackendDefinition } from '../gen/backend.ts'
import { serverStream, unary } from '../method.ts'

const { fullName, methods } = BackendDefinition

/** Training and quantization. */
export const jobsMethods = {
  /** Starts a training job. */
  startFineTune: unary(fullName, methods.startFineTune),
  /** Follows a training job. */
  fineTuneProgress: serverStream(fullName, methods.fineTuneProgress),
  /** Ends a training job. */
  stopFineTune: unary(fullName, methods.stopFineTune),
  /** Checkpoints in a folder. */
  listCheckpoints: unary(fullName, methods.listCheckpoints),
  /** Turns a checkpoint into a model. */
  exportModel: unary(fullName, methods.exportModel),
  /** Starts a quantization job. */
  startQuantization: unary(fullName, methods.startQuantization),
  /** Follows a quantization job. */
  quantizationProgress: serverStream(fullName, methods.quantizationProgress),
  /** Ends a quantization job. */
  stopQuantization: unary(fullName, methods.stopQuantization),
} as const
