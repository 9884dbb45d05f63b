/** Messages to the process of an engine: one load, then one call after the other. */
export type EngineRequest =
  | { readonly kind: 'load'; readonly settings: unknown }
  | { readonly kind: 'call'; readonly request: unknown }
  /** The reader has taken so many further pieces. */
  | { readonly kind: 'taken'; readonly count: number }

/** Messages of the process. */
export type EngineReply =
  | { readonly kind: 'loaded'; readonly facts: unknown }
  | { readonly kind: 'piece'; readonly piece: unknown }
  | { readonly kind: 'done'; readonly result: unknown }
  | {
      readonly kind: 'failed'
      readonly message: string
      /** Whether the request, and not the engine, is at fault. */
      readonly isRequest: boolean
    }

/** Pieces that a process sends ahead of its reader, if it waits for `emit`. */
export const MAX_AHEAD = 8

/** Work of an engine inside of its process. */
export interface EngineWork {
  /** Loads the model. @returns facts about it, which the parent receives */
  load(settings: unknown): Promise<unknown>
  /**
   * Answers a call.
   *
   * @param emit sends a piece of the answer; the promise settles when there is room for the next one
   * @returns the end of the answer
   */
  call(request: unknown, emit: (piece: unknown) => Promise<void>): Promise<unknown>
}
