/**
 * A body as pieces of its JSON text. Other work gets its turn between two of them, so that writing a long list of
 * numbers holds up nobody.
 */
export class JsonPieces {
  readonly pieces: Iterable<string>

  constructor(pieces: Iterable<string>) {
    this.pieces = pieces
  }
}
