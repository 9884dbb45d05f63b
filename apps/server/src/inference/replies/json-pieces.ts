/**
 * A body as pieces of its JSON text. Other work runs between two pieces, so that a long list of numbers does not block
 * the event loop.
 */
export class JsonPieces {
  readonly pieces: Iterable<string>

  constructor(pieces: Iterable<string>) {
    this.pieces = pieces
  }
}
