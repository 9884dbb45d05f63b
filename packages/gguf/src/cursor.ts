import { GgufError } from './errors.ts'

/** Bytes to read a header from: an open file, or a buffer. */
export interface GgufSource {
  /** Bytes in all. */
  readonly sizeBytes: number
  /** Up to `length` bytes from `position`; fewer only where the source ends. */
  read(position: number, length: number): Uint8Array
}

const WINDOW_BYTES = 256 * 1024
const MAX_HIGH_WORD = 2 ** 21 - 1
const EMPTY = new Uint8Array(0)

/** Reads little-endian values one after the other, never past the end of its source and never past its limit. */
export class GgufCursor {
  readonly #source: GgufSource
  readonly #maxBytes: number
  readonly #utf8 = new TextDecoder()
  readonly #latin1 = new TextDecoder('latin1')
  #window: Uint8Array = EMPTY
  #view: DataView = new DataView(EMPTY.buffer)
  #windowStart = 0
  #position = 0

  constructor(source: GgufSource, maxBytes: number) {
    this.#source = source
    this.#maxBytes = maxBytes
  }

  /** Offset of the next byte. */
  get position(): number {
    return this.#position
  }

  /** Bytes between the next one and the end of the source. */
  get remaining(): number {
    return this.#source.sizeBytes - this.#position
  }

  /** Checks a count before it is used. @throws {GgufError} if the source ends before `length` more bytes */
  require(length: number): void {
    if (length > this.remaining) throw new GgufError('is cut off')
  }

  /** Steps over bytes without reading them. */
  skip(length: number): void {
    this.require(length)
    this.#position += length
    this.#checkLimit()
  }

  uint32(): number {
    const offset = this.#take(4)
    return this.#view.getUint32(offset, true)
  }

  /** An unsigned 64-bit number. @throws {GgufError} above 2^53: a true count, length or offset is never that large */
  uint64(): number {
    const offset = this.#take(8)
    const high = this.#view.getUint32(offset + 4, true)
    if (high > MAX_HIGH_WORD) throw new GgufError('holds a count that cannot be')
    return high * 2 ** 32 + this.#view.getUint32(offset, true)
  }

  /** A view of exactly `length` bytes, valid until the next call. */
  view(length: number): DataView {
    const offset = this.#take(length)
    return new DataView(this.#window.buffer, this.#window.byteOffset + offset, length)
  }

  /** Text with its length in front; undefined, and passed over, if it is longer than `maxBytes`. */
  text(maxBytes: number): string | undefined {
    const length = this.uint64()
    if (length > maxBytes) {
      this.skip(length)
      return undefined
    }
    return this.#utf8.decode(this.#bytes(length))
  }

  /**
   * Bytes with their length in front as one character a byte, so that different bytes are different texts.
   *
   * @throws {GgufError} if there are more than `maxBytes`
   */
  byteText(maxBytes: number): string {
    const length = this.uint64()
    if (length > maxBytes) throw new GgufError('holds a name that is too long')
    return this.#latin1.decode(this.#bytes(length))
  }

  #bytes(length: number): Uint8Array {
    const offset = this.#take(length)
    return this.#window.subarray(offset, offset + length)
  }

  /** Steps over `length` bytes and returns their offset in the window. */
  #take(length: number): number {
    let offset = this.#position - this.#windowStart
    if (offset + length > this.#window.byteLength) {
      this.#fill(length)
      offset = 0
    }
    this.#position += length
    this.#checkLimit()
    return offset
  }

  #fill(length: number): void {
    this.require(length)
    if (length > this.#maxBytes) throw this.#tooLarge()
    const bytes = this.#source.read(this.#position, Math.max(length, Math.min(WINDOW_BYTES, this.remaining)))
    if (bytes.byteLength < length) throw new GgufError('is cut off')
    this.#window = new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    this.#windowStart = this.#position
  }

  #checkLimit(): void {
    if (this.#position > this.#maxBytes) throw this.#tooLarge()
  }

  #tooLarge(): GgufError {
    return new GgufError(`has a header of more than ${this.#maxBytes} bytes`)
  }
}
