/** Pieces from this many bytes on are kept as they come. */
const LARGE_BYTES = 4096
/** Bytes of a block that smaller pieces are copied into. */
const BLOCK_BYTES = 65_536

const EMPTY = new Uint8Array(0)

/**
 * The pieces of a body, in their order. A sender decides how many there are, and each would be an object many times its
 * size: small ones are copied into blocks (threats REL-2).
 */
export class BodyPieces {
  readonly #pieces: Uint8Array[] = []
  /** The filled part of it is the last piece. */
  #block: Buffer | undefined
  #filled = 0
  #bytes = 0

  /** Number of objects that hold the body. */
  get count(): number {
    return this.#pieces.length + (this.#block === undefined ? 0 : 1)
  }

  add(piece: Uint8Array): void {
    this.#bytes += piece.length
    // The first piece of a body is most often all of it.
    if (piece.length >= LARGE_BYTES || this.count === 0) {
      this.#seal()
      this.#pieces.push(piece)
      return
    }
    if (this.#filled + piece.length > BLOCK_BYTES) this.#seal()
    this.#block ??= Buffer.allocUnsafe(BLOCK_BYTES)
    this.#block.set(piece, this.#filled)
    this.#filled += piece.length
  }

  /**
   * Joins the pieces. A single one is not copied.
   *
   * @param last a small piece behind them, for which no block is made
   */
  join(last?: Uint8Array): Uint8Array {
    this.#seal()
    if (last !== undefined) return Buffer.concat([...this.#pieces, last])
    const [first = EMPTY, ...others] = this.#pieces
    return others.length === 0 ? first : Buffer.concat(this.#pieces, this.#bytes)
  }

  #seal(): void {
    if (this.#block !== undefined) this.#pieces.push(this.#block.subarray(0, this.#filled))
    this.#block = undefined
    this.#filled = 0
  }
}
