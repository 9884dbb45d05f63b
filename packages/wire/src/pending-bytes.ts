const EMPTY = new Uint8Array(0)

/**
 * Bytes that wait for the rest of their line or event. Returned views stay valid: storage that a consumer may have seen
 * is never written again.
 */
export class PendingBytes {
  #view: Uint8Array = EMPTY
  #storage: Uint8Array | undefined

  get length(): number {
    return this.#view.length
  }

  /** Adds a chunk and returns all waiting bytes. Cost is proportional to the chunk, however small the pieces. */
  append(chunk: Uint8Array): Uint8Array {
    if (this.#view.length === 0) {
      this.#storage = undefined
      this.#view = chunk
      return chunk
    }
    const used = this.#view.length
    const size = used + chunk.length
    if (this.#storage === undefined || this.#storage.length < size) {
      this.#storage = new Uint8Array(Math.max(size, used * 2))
      this.#storage.set(this.#view)
    }
    this.#storage.set(chunk, used)
    this.#view = this.#storage.subarray(0, size)
    return this.#view
  }

  /** Drops everything before `offset`. */
  keepFrom(offset: number): void {
    if (offset === 0) return
    this.#view = offset >= this.#view.length ? EMPTY : this.#view.subarray(offset)
    this.#storage = undefined
  }
}
