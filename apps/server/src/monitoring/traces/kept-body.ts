/** Bytes that the bodies of running traces may take together. */
export class BodyBudget {
  #free: number

  constructor(bytes: number) {
    this.#free = bytes
  }

  /** @returns the number of bytes that may be kept */
  take(bytes: number): number {
    const taken = Math.min(bytes, this.#free)
    this.#free -= taken
    return taken
  }

  giveBack(bytes: number): void {
    this.#free += bytes
  }
}

/** The beginning of a body, and its whole size. */
export class KeptBody {
  readonly #maxBytes: number
  readonly #budget: BodyBudget
  readonly #pieces: Buffer[] = []
  #kept = 0
  #size = 0

  constructor(maxBytes: number, budget: BodyBudget) {
    this.#maxBytes = maxBytes
    this.#budget = budget
  }

  add(piece: string | Uint8Array, encoding: 'utf8' | 'latin1' = 'utf8'): void {
    const size = typeof piece === 'string' ? Buffer.byteLength(piece, encoding) : piece.length
    this.#size += size
    const room = this.#budget.take(Math.min(size, this.#maxBytes - this.#kept))
    if (room === 0) return
    const bytes = typeof piece === 'string' ? Buffer.from(piece, encoding) : piece
    // A copy: the bytes of requests are used again.
    this.#pieces.push(Buffer.from(bytes.subarray(0, room)))
    this.#kept += room
  }

  /** The kept bytes; undefined for an empty body. */
  get bytes(): Uint8Array | undefined {
    return this.#kept === 0 ? undefined : Buffer.concat(this.#pieces)
  }

  /** The fields of a trace beside its body. */
  describe(): { readonly body: null; readonly body_truncated?: true; readonly body_bytes?: number } {
    return this.#kept < this.#size ? { body: null, body_truncated: true, body_bytes: this.#size } : { body: null }
  }

  release(): void {
    this.#budget.giveBack(this.#kept)
    this.#kept = 0
    this.#pieces.length = 0
  }
}
