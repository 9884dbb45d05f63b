import { BackendDefinition } from '../gen/backend.ts'
import { unary } from '../method.ts'

const { fullName, methods } = BackendDefinition

/** Vector stores. */
export const storesMethods = {
  /** Adds or replaces vectors and their values. */
  storesSet: unary(fullName, methods.storesSet),
  /** Removes vectors. Removing an unknown vector is not an error. */
  storesDelete: unary(fullName, methods.storesDelete),
  /** Values of exactly these vectors. Unknown ones are left out. */
  storesGet: unary(fullName, methods.storesGet),
  /** The nearest vectors by cosine, best first. */
  storesFind: unary(fullName, methods.storesFind),
} as const
