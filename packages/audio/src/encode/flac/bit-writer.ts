/** Writes numbers of any number of bits, the highest first, into bytes that grow. */
export class BitWriter {
  #bytes = new Uint8Array(4096)
  #length = 0
  /** Bits that do not fill a byte yet, and their number, 0..7. */
  #pending = 0
  #pendingBits = 0

  /** Whole bytes so far. */
  get bytes(): Uint8Array {
    return this.#bytes.subarray(0, this.#length)
  }

  /** Writes the lowest `bits` bits of an integer, 0..32. */
  write(value: number, bits: number): void {
    for (let left = bits; left > 0; ) {
      const count = Math.min(left, 8 - this.#pendingBits)
      left -= count
      this.#pending = (this.#pending << count) | ((value >>> left) & ((1 << count) - 1))
      this.#pendingBits += count
      if (this.#pendingBits === 8) this.#flush()
    }
  }

  /** Writes `zeros` zero bits and a one. */
  writeUnary(zeros: number): void {
    for (let left = zeros; left > 0; left -= 24) this.write(0, Math.min(left, 24))
    this.write(1, 1)
  }

  /** Fills the last byte with zeros. */
  align(): void {
    if (this.#pendingBits > 0) this.write(0, 8 - this.#pendingBits)
  }

  #flush(): void {
    if (this.#length === this.#bytes.length) {
      const grown = new Uint8Array(this.#bytes.length * 2)
      grown.set(this.#bytes)
      this.#bytes = grown
    }
    this.#bytes[this.#length++] = this.#pending
    this.#pending = 0
    this.#pendingBits = 0
  }
}
