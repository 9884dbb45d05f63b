/** Options of {@link JsonPieces}. */
export interface JsonPiecesOptions {
  /** Whether the text holds pictures, sound or film. Traces keep none of it. @default false */
  readonly holdsMedia?: boolean | undefined
  /** `text/event-stream` for events of JSON. @default 'application/json' */
  readonly mediaType?: string | undefined
}

/**
 * A body as pieces of its JSON text, or of its events. Other work runs between two pieces, so that a long list of numbers does not block
 * the event loop.
 */
export class JsonPieces {
  readonly pieces: Iterable<string> | AsyncIterable<string>
  readonly holdsMedia: boolean
  readonly mediaType: string

  constructor(pieces: Iterable<string> | AsyncIterable<string>, options: JsonPiecesOptions = {}) {
    this.pieces = pieces
    this.holdsMedia = options.holdsMedia ?? false
    this.mediaType = options.mediaType ?? 'application/json'
  }
}
