/** Options of {@link JsonPieces}. */
export interface JsonPiecesOptions {
  /** Whether the text holds pictures, sound or film. Traces keep none of it. @default false */
  readonly holdsMedia?: boolean | undefined
}

/**
 * A body as pieces of its JSON text. Other work runs between two pieces, so that a long list of numbers does not block
 * the event loop.
 */
export class JsonPieces {
  readonly pieces: Iterable<string> | AsyncIterable<string>
  readonly holdsMedia: boolean

  constructor(pieces: Iterable<string> | AsyncIterable<string>, { holdsMedia = false }: JsonPiecesOptions = {}) {
    this.pieces = pieces
    this.holdsMedia = holdsMedia
  }
}
