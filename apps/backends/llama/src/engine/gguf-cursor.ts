import { GgufError } from '../errors.ts'

/** Bytes to read a header from: a file, or a buffer in tests. */
export interface GgufSource {
  /** Bytes in all. */
  readonly sizeBytes: number
  /** Up to `length` bytes from `position`; fewer only where the source ends. */
  read(position: number, length: number): Promise<Uint8Array>
}

/** What {@link GgufCursor.byteTexts} does with each text. */
export interface ByteTextsOptions {
  readonly maxBytes: number
  readonly what: string
  readonly take?: ((text: string) => void) | undefined
}

const WINDOW_BYTES = 256 * 1024
const MAX_HIGH_WORD = 2 ** 21 - 1

/** Reads little-endian values one after the other and never past the end of its source. */
export class GgufCursor {
  readonly #source: GgufSource
  #window: Buffer = Buffer.alloc(0)
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
    if (!this.#holds(length)) await this.#fill(length, what)
    const offset = this.#take(length)
    return new DataView(this.#window.buffer, this.#window.byteOffset + offset, length)
  }

  /** An unsigned 32-bit number. */
  async uint32(what: string): Promise<number> {
    if (!this.#holds(4)) await this.#fill(4, what)
    return this.#window.readUInt32LE(this.#take(4))
  }

  /** An unsigned 64-bit number. @throws GgufError above 2^53, which no count, length or offset can honestly be. */
  async uint64(what: string): Promise<number> {
    if (!this.#holds(8)) await this.#fill(8, what)
    return this.#readUint64(what)
  }

  /**
   * Bytes with their length in front, one character a byte, so that different bytes are different texts.
   * @throws GgufError where there are more than `maxBytes`
   */
  async byteText(maxBytes: number, what: string): Promise<string> {
    let text = ''
    await this.byteTexts(1, { maxBytes, what, take: (only) => (text = only) })
    return text
  }

  /** Many of these in a row, or steps over them where there is nobody to take them. */
  async byteTexts(count: number, { maxBytes, what, take }: ByteTextsOptions): Promise<void> {
    for (let index = 0; index < count; index++) {
      // Waiting only where a window ends: a vocabulary has hundreds of thousands of texts.
      if (!this.#holds(8)) await this.#fill(8, what)
      const length = this.#readUint64(what)
      if (take === undefined) {
        this.skip(length, what)
        continue
      }
      if (length > maxBytes) throw new GgufError(`${what} is too long`)
      if (!this.#holds(length)) await this.#fill(length, what)
      const start = this.#take(length)
      take(this.#window.toString('latin1', start, start + length))
    }
  }

  #holds(length: number): boolean {
    const start = this.#position - this.#windowStart
    return start >= 0 && start + length <= this.#window.byteLength
  }

  /** Steps on and gives the place in the window where it was. */
  #take(length: number): number {
    const offset = this.#position - this.#windowStart
    this.#position += length
    return offset
  }

  #readUint64(what: string): number {
    const offset = this.#take(8)
    const high = this.#window.readUInt32LE(offset + 4)
    if (high > MAX_HIGH_WORD) throw new GgufError(`${what} is out of range`)
    return high * 2 ** 32 + this.#window.readUInt32LE(offset)
  }

  async #fill(length: number, what: string): Promise<void> {
    this.require(length, what)
    const bytes = await this.#source.read(this.#position, Math.max(length, Math.min(WINDOW_BYTES, this.remaining)))
    if (bytes.byteLength < length) throw new GgufError(`the file ends inside ${what}`)
    this.#window = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    this.#windowStart = this.#position
  }
}
