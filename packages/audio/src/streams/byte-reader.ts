import { AudioError } from '../errors.ts'
import { type AudioPieces, abortable } from './abortable.ts'

const EMPTY = new Uint8Array(0)

/** Reads a stream of bytes in lengths of the reader's choice, and holds at most one piece and one request of it. */
export class ByteReader {
  readonly #pieces: AsyncGenerator<Uint8Array>
  #piece: Uint8Array = EMPTY
  #position = 0

  constructor(pieces: AudioPieces, signal?: AbortSignal) {
    this.#pieces = abortable(pieces, signal)
  }

  /** Bytes that have been read or skipped. */
  get position(): number {
    return this.#position
  }

  /** Reads `length` bytes; fewer only at the end of the stream. */
  async read(length: number): Promise<Uint8Array> {
    const bytes = new Uint8Array(length)
    let filled = 0
    while (filled < length) {
      const part = await this.readSome(length - filled)
      if (part.length === 0) return bytes.subarray(0, filled)
      bytes.set(part, filled)
      filled += part.length
    }
    return bytes
  }

  /** Reads between one and `maxLength` bytes without copying them; none only at the end of the stream. */
  async readSome(maxLength: number): Promise<Uint8Array> {
    while (this.#piece.length === 0) {
      const { value, done } = await this.#pieces.next()
      if (done === true) return EMPTY
      if (!(value instanceof Uint8Array)) throw new AudioError('bad_audio', 'the audio is not a stream of bytes')
      this.#piece = value
    }
    const part = this.#piece.subarray(0, maxLength)
    this.#piece = this.#piece.subarray(part.length)
    this.#position += part.length
    return part
  }

  /** Steps over bytes; returns the number of them, which is less than `length` only at the end of the stream. */
  async skip(length: number): Promise<number> {
    let skipped = 0
    while (skipped < length) {
      const part = await this.readSome(length - skipped)
      if (part.length === 0) break
      skipped += part.length
    }
    return skipped
  }

  /** Ends the source. */
  async close(): Promise<void> {
    this.#piece = EMPTY
    await this.#pieces.return(undefined)
  }
}
