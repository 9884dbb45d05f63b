/** Counts bytes that one holder has of a total that several share. */
export interface ByteMeter {
  readonly bytes: number
  /** Counts bytes. @returns false, and counts nothing, where there is no room */
  add(bytes: number): boolean
  /** Gives bytes back; no more than are counted. */
  subtract(bytes: number): void
  /** Gives all counted bytes back. */
  readonly release: () => void
}

/** A number of bytes that meters share. */
export class ByteBudget {
  readonly #totalBytes: number
  /** Bytes that all meters hold now. */
  heldBytes = 0

  constructor(totalBytes: number) {
    this.#totalBytes = totalBytes
  }

  /** Whether that many bytes more fit. */
  hasRoom(bytes: number): boolean {
    return this.heldBytes + bytes <= this.#totalBytes
  }

  open(): ByteMeter {
    return new Meter(this)
  }
}

class Meter implements ByteMeter {
  readonly #budget: ByteBudget
  bytes = 0

  constructor(budget: ByteBudget) {
    this.#budget = budget
  }

  add(bytes: number): boolean {
    if (!this.#budget.hasRoom(bytes)) return false
    this.bytes += bytes
    this.#budget.heldBytes += bytes
    return true
  }

  subtract(bytes: number): void {
    const given = Math.min(bytes, this.bytes)
    this.bytes -= given
    this.#budget.heldBytes -= given
  }

  readonly release = (): void => {
    this.#budget.heldBytes -= this.bytes
    this.bytes = 0
  }
}
