/** Figures that every operation reports beside its result. */
export interface OperationFigures {
  /** Tokens that were read; 0 when the backend does not report them. */
  readonly promptTokens: number
  /**
   * Parts of the result that the model gives while they are read. It is held until they have been read, or the result
   * is released. Leaving the iteration ends the call.
   *
   * @default the result is whole
   */
  readonly live?: AsyncIterable<unknown> | undefined
  /** Removes the files of the result. The core calls it when the request has ended. @default nothing is held */
  readonly release?: (() => void) | undefined
}
