/** A failure of the node, not of the model: another node may do better. */
export class NodeFailure extends Error {
  /** The node was not reached: it says nothing about the model. */
  readonly isUnreached: boolean

  constructor(message: string, { cause, isUnreached = false }: { cause?: unknown; isUnreached?: boolean } = {}) {
    super(message, { cause })
    this.isUnreached = isUnreached
  }
}

/** Blames the node for an error. @throws the signal's reason */
export function asNodeFailure(
  error: unknown,
  signal: AbortSignal,
  { isUnreached = false }: { readonly isUnreached?: boolean } = {},
): NodeFailure {
  signal.throwIfAborted()
  return new NodeFailure(error instanceof Error ? error.message : String(error), { cause: error, isUnreached })
}
