import { readSync } from 'node:fs'

const CHUNK_BYTES = 1024 * 1024

/** Why the bytes of a file are no usable model; becomes a reason for people. */
export class GgufFault extends Error {
  override readonly name = 'GgufFault'
}

/** Reads a file front to back in chunks, never past its end and never more than the header may take. */
export class ByteSource {
  readonly #descriptor: number
  readonly #end: number
  readonly #maxBytes: number
  #chunk: Buffer = Buffer.alloc(0)
  #chunkStart = 0
  #position = 0

  constructor(descriptor: number, options: { readonly fileBytes: number; readonly maxBytes: number }) {
    this.#descriptor = descriptor
    this.#end = options.fileBytes
    this.#maxBytes = options.maxBytes
  }

  /** Offset of the next byte. */
  get position(): number {
    return this.#position
  }

  /** Bytes from here to the end of the file. */
  get left(): number {
    return this.#end - this.#position
  }

  uint32(): number {
    const at = this.#reach(4)
    return this.#chunk.readUInt32LE(at)
  }

  /** A 64-bit count or offset. Files have a hundred thousand of them: no buffer and no bigint is made for one. */
  uint64(): number {
    const at = this.#reach(8)
    const value = this.#chunk.readUInt32LE(at + 4) * 2 ** 32 + this.#chunk.readUInt32LE(at)
    if (!Number.isSafeInteger(value)) throw new GgufFault('holds a count that cannot be')
    return value
  }

  /** A text of at most `maxBytes`; a longer one is passed over and comes out empty. */
  text(maxBytes: number): string {
    const length = this.uint64()
    if (length <= maxBytes) return this.bytes(length).toString('utf8')
    this.skip(length)
    return ''
  }

  /** The next bytes; valid until the next call. */
  bytes(length: number): Buffer {
    const at = this.#reach(length)
    return this.#chunk.subarray(at, at + length)
  }

  skip(length: number): void {
    if (length > this.left) throw new GgufFault('is cut off')
    this.#position += length
    this.#guard()
  }

  /** Moves past `length` bytes and answers where they begin in the chunk. */
  #reach(length: number): number {
    if (length > this.left) throw new GgufFault('is cut off')
    if (this.#position - this.#chunkStart + length > this.#chunk.length) this.#load(length)
    const at = this.#position - this.#chunkStart
    this.#position += length
    this.#guard()
    return at
  }

  #load(length: number): void {
    const wanted = Math.min(Math.max(length, CHUNK_BYTES), this.left)
    if (wanted > this.#maxBytes) throw this.#tooLarge()
    const chunk = Buffer.allocUnsafe(wanted)
    let filled = 0
    while (filled < wanted) {
      const read = readSync(this.#descriptor, chunk, filled, wanted - filled, this.#position + filled)
      if (read === 0) throw new GgufFault('is cut off')
      filled += read
    }
    this.#chunk = chunk
    this.#chunkStart = this.#position
  }

  #guard(): void {
    if (this.#position > this.#maxBytes) throw this.#tooLarge()
  }

  #tooLarge(): GgufFault {
    return new GgufFault(`has a header of more than ${this.#maxBytes} bytes`)
  }
}
