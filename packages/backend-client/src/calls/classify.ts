import { BackendDefinition } from '../gen/backend.ts'
import { unary } from '../method.ts'

const { fullName, methods } = BackendDefinition

/** Labelled spans. */
export const classifyMethods = {
  /** Finds labelled spans in a text. */
  tokenClassify: unary(fullName, methods.tokenClassify),
} as const
