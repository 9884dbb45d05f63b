import { BackendDefinition } from '../gen/backend.ts'
import { unary } from '../method.ts'

const { fullName, methods } = BackendDefinition

/** Token ids and text. */
export const tokenizeMethods = {
  /** Token ids of Prompt. */
  tokenizeString: unary(fullName, methods.tokenizeString),
  /** Text of token ids. */
  detokenize: unary(fullName, methods.detokenize),
} as const
