import { BackendDefinition } from '../gen/backend.ts'
import { unary } from '../method.ts'

const { fullName, methods } = BackendDefinition

/** Process and model: health, load, state. */
export const lifecycleMethods = {
  /** Answers with message "OK" once the process can take calls, whether or not a model is loaded. */
  health: unary(fullName, methods.health),
  /** Loads the one model this process serves. Called once, after Health. */
  loadModel: unary(fullName, methods.loadModel),
  /** Releases the model before a stop. Best effort: a backend without it answers UNIMPLEMENTED. */
  free: unary(fullName, methods.free),
  /** State and memory of the process. Many backends lack it. */
  status: unary(fullName, methods.status),
  /** Figures of the slot that ran last. */
  getMetrics: unary(fullName, methods.getMetrics),
  /** Facts about the loaded model that the host cannot read from its file. */
  modelMetadata: unary(fullName, methods.modelMetadata),
} as const
