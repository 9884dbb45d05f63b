import type { Content } from '../replies/content.ts'

/** Figures that every operation reports beside its result. */
export interface OperationFigures {
  /** Tokens that were read; 0 when the backend does not report them. */
  readonly promptTokens: number
  /** Bytes that the model gives while they are read. The model is held until their release. @default none */
  readonly content?: Content | undefined
}
