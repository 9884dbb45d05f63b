import { ExtensionsDefinition } from '../gen/extensions.ts'
import { unary } from '../method.ts'

const { fullName, methods } = ExtensionsDefinition

/** Every rpc of `svc.backend.v1.Extensions`. A backend of others answers `not_implemented`. */
export const extensionMethods = {
  /** The abilities of the backend with the model that is loaded. */
  capabilities: unary(fullName, methods.capabilities),
  /** Writes the cache of one slot to a file. */
  saveSlot: unary(fullName, methods.saveSlot),
  /** Reads the cache of one slot back. */
  restoreSlot: unary(fullName, methods.restoreSlot),
  /** Answers independent yes/no questions about one document. */
  decide: unary(fullName, methods.decide),
  /** Reads how likely each token of a prompt is, and generates nothing. */
  promptLogprobs: unary(fullName, methods.promptLogprobs),
} as const
