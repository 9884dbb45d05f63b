import { BackendDefinition } from '../gen/backend.ts'
import { unary } from '../method.ts'

const { fullName, methods } = BackendDefinition

/** Voice activity. */
export const vadMethods = {
  /** Finds the parts of the samples in which someone speaks. */
  vad: unary(fullName, methods.vAD),
} as const
