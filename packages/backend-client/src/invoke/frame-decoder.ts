import { FRAME_HEAD_BYTES } from '../codec/message-writer.ts'

const FIRST_CAPACITY = 64 * 1024
const EMPTY = Buffer.alloc(0)

/** A message as it came: its bytes, and whether they are compressed. */
export interface Frame {
  readonly isCompressed: boolean
  readonly bytes: Buffer
}

/** A frame that is malformed or over the limit. */
export class FrameError extends Error {
  override readonly name = 'FrameError'
  readonly isTooLarge: boolean

  constructor(message: string, isTooLarge: boolean) {
    super(message)
    this.isTooLarge = isTooLarge
  }
}

/**
 * Cuts the bytes of a stream into messages. A message that lies inside one chunk is a view of it. The bytes of any
 * other message are collected in a buffer that grows with the received bytes, not with the announced length.
 */
export class FrameDecoder {
  readonly #maxMessageBytes: number
  #chunk: Buffer = EMPTY
  #at = 0
  /** Bytes of the head that have been read, its flag, and the part of its length that they hold. */
  #headLength = 0
  #flag = 0
  #headValue = 0
  /** Length of the message that is being read; -1 while its head is. */
  #length = -1
  #partial: Buffer = EMPTY
  #partialLength = 0

  constructor(maxMessageBytes: number) {
    this.#maxMessageBytes = maxMessageBytes
  }

  /** True where the stream may end: between two messages. */
  get isBetweenMessages(): boolean {
    return this.#headLength === 0 && this.#length === -1
  }

  /** Takes the next bytes. Unread bytes of earlier chunks come first. */
  push(chunk: Buffer): void {
    this.#chunk = this.#at === this.#chunk.length ? chunk : Buffer.concat([this.#chunk.subarray(this.#at), chunk])
    this.#at = 0
  }

  /**
   * The next message that is whole.
   *
   * @throws {FrameError} for a malformed head and for a length over the limit
   */
  next(): Frame | undefined {
    if (this.#length === -1 && !this.#readHead()) return undefined
    const bytes = this.#readMessage()
    if (bytes === undefined) return undefined
    this.#length = -1
    return { isCompressed: this.#flag === 1, bytes }
  }

  #readHead(): boolean {
    for (; this.#headLength < FRAME_HEAD_BYTES; this.#headLength += 1) {
      const byte = this.#chunk[this.#at]
      if (byte === undefined) return false
      this.#at += 1
      if (this.#headLength === 0) this.#flag = byte
      else this.#headValue = this.#headValue * 256 + byte
    }
    const length = this.#headValue
    this.#headLength = 0
    this.#headValue = 0
    if (length > this.#maxMessageBytes) {
      throw new FrameError(`received a message larger than max (${length} vs ${this.#maxMessageBytes})`, true)
    }
    if (this.#flag > 1) throw new FrameError('received bytes that are no message of gRPC', false)
    this.#length = length
    return true
  }

  #readMessage(): Buffer | undefined {
    const available = this.#chunk.length - this.#at
    const missing = this.#length - this.#partialLength
    const taken = Math.min(available, missing)
    const start = this.#at
    this.#at += taken
    if (taken === this.#length) return this.#chunk.subarray(start, start + taken)
    this.#makeRoom(this.#partialLength + taken)
    this.#chunk.copy(this.#partial, this.#partialLength, start, start + taken)
    this.#partialLength += taken
    if (taken < missing) return undefined
    const bytes = this.#partial.subarray(0, this.#length)
    this.#partial = EMPTY
    this.#partialLength = 0
    return bytes
  }

  #makeRoom(length: number): void {
    if (length <= this.#partial.length) return
    const capacity = Math.min(this.#length, Math.max(FIRST_CAPACITY, length, 4 * this.#partial.length))
    const grown = Buffer.allocUnsafe(capacity)
    this.#partial.copy(grown, 0, 0, this.#partialLength)
    this.#partial = grown
  }
}
