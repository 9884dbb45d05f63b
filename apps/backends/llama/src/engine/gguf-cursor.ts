import { GgufError } from '../errors.ts'

/** Bytes to read a header from: a file, or a buffer in tests. */
export interface GgufSource {
  /** Bytes in all. */
  readonly sizeBytes: number
  /** Up to `length` bytes from `position`; fewer only where the source ends. */
  read(position: number, length: number): Promise<Uint8Array>
}

const WINDOW_BYTES = 256 * 1024

/** Reads little-endian values one after the other and never past the end of its source. */
export class GgufCursor {
  readonly #source: GgufSource
  #window: DataView = new DataView(new ArrayBuffer(0))
  #windowStart = 0
  #position = 0

  constructor(source: GgufSource) {
    this.#source = source
  }

  /** Offset of the next byte. */
  get position(): number {
    return this.#position
  }

  /** Bytes between the next one and the end of the source. */
  get remaining(): number {
    return this.#source.sizeBytes - this.#position
  }

  /** @throws GgufError where the source ends before `length` more bytes, so that counts are checked before they are used. */
  require(length: number, what: string): void {
    if (length > this.remaining) throw new GgufError(`the file ends inside ${what}`)
  }

  /** Steps over bytes without reading them. */
  skip(length: number, what: string): void {
    this.require(length, what)
    this.#position += length
  }

  /** A view of exactly `length` bytes, valid until the next call. */
  async view(length: number, what: string): Promise<DataView> {
    this.require(length, what)
    if (this.#position < this.#windowStart || this.#position + length > this.#windowStart + this.#window.byteLength) {
      await this.#fill(length, what)
    }
    const offset = this.#window.byteOffset + this.#position - this.#windowStart
    this.#position += length
    return new DataView(this.#window.buffer, offset, length)
  }

  /** An unsigned 32-bit number. */
  async uint32(what: string): Promise<number> {
    return (await this.view(4, what)).getUint32(0, true)
  }

  /** An unsigned 64-bit number. @throws GgufError above 2^53, which no count, length or offset can honestly be. */
  async uint64(what: string): Promise<number> {
    const value = (await this.view(8, what)).getBigUint64(0, true)
    if (value > BigInt(Number.MAX_SAFE_INTEGER)) throw new GgufError(`${what} is out of range`)
    return Number(value)
  }

  /**
   * Bytes with their length in front, one character a byte, so that different bytes are different texts.
   * @throws GgufError where there are more than `maxBytes`
   */
  async byteText(maxBytes: number, what: string): Promise<string> {
    const length = await this.uint64(what)
    if (length > maxBytes) throw new GgufError(`${what} is too long`)
    const view = await this.view(length, what)
    return Buffer.from(view.buffer, view.byteOffset, length).toString('latin1')
  }

  async #fill(length: number, what: string): Promise<void> {
    const bytes = await this.#source.read(this.#position, Math.max(length, Math.min(WINDOW_BYTES, this.remaining)))
    if (bytes.byteLength < length) throw new GgufError(`the file ends inside ${what}`)
    this.#window = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    this.#windowStart = this.#position
  }
}
