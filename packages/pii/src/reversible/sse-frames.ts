import { SvcError } from '@svc/errors'

/** One frame of an event stream: an event, or a comment or other lines up to an empty line. */
export interface SseFrame {
  /** Its bytes as they came, the empty line at the end included. */
  readonly bytes: Uint8Array
  /** The values of its `data:` lines, as ranges of `bytes`; none for a comment. */
  readonly data: readonly { readonly start: number; readonly end: number }[]
}

const LF = 0x0a
const CR = 0x0d
const COLON = 0x3a
const SPACE = 0x20
const DATA = [0x64, 0x61, 0x74, 0x61]
const NOTHING = new Uint8Array(0)

/**
 * Splits an event stream into frames, for any cut of its bytes (WHATWG). A frame is returned with the bytes that bring
 * its empty line, and a comment between events with the bytes that end its line. The joined frames are the stream.
 */
export class SseFrames {
  readonly #maxFrameBytes: number
  #pending: Uint8Array = NOTHING
  /** Storage of the pending bytes, once they were joined; written only after the returned part. */
  #storage: { readonly bytes: Uint8Array; used: number } | undefined
  /** Start of the unfinished line in the pending bytes, and the offset up to which it was searched. */
  #lineStart = 0
  #searched = 0
  #data: { start: number; end: number }[] = []
  #hasFields = false
  #isFirstLine = true
  /** The bytes so far end in a CR that ended a line: an LF that follows belongs to it. */
  #lfMayFollow = false

  constructor(maxFrameBytes: number) {
    this.#maxFrameBytes = maxFrameBytes
  }

  /** @throws SvcError `sse_event_too_large`, kind `too_large` */
  push(chunk: Uint8Array): SseFrame[] {
    if (chunk.length === 0) return []
    const bytes = this.#append(chunk)
    const frames: SseFrame[] = []
    let start = 0
    let position = this.#searched
    if (this.#lfMayFollow && bytes[position] === LF) {
      position += 1
      this.#lineStart = position
      if (position === 1) {
        // The previous frame did not wait for it.
        frames.push({ bytes: bytes.subarray(0, 1), data: [] })
        start = 1
      }
    }
    while (position < bytes.length) {
      const byte = bytes[position]
      if (byte !== LF && byte !== CR) {
        position += 1
        continue
      }
      const next = byte === CR && bytes[position + 1] === LF ? position + 2 : position + 1
      if (this.#endLine(bytes, position, start)) {
        frames.push({ bytes: bytes.subarray(start, next), data: this.#data })
        this.#data = []
        this.#hasFields = false
        start = next
      }
      this.#lineStart = next
      position = next
    }
    this.#lfMayFollow = this.#lineStart === bytes.length && bytes[bytes.length - 1] === CR
    this.#pending = bytes.subarray(start)
    this.#lineStart -= start
    this.#searched = bytes.length - start
    if (this.#searched > this.#maxFrameBytes) {
      throw new SvcError('too_large', `an event of the stream is larger than ${this.#maxFrameBytes} bytes`, {
        code: 'sse_event_too_large',
      })
    }
    return frames
  }

  /** The bytes of an unfinished frame. */
  end(): Uint8Array {
    const rest = this.#pending
    this.#pending = NOTHING
    return rest
  }

  /** Appends a chunk to the pending bytes. Takes time in proportion to the chunk, however small the chunks are. */
  #append(chunk: Uint8Array): Uint8Array {
    const pending = this.#pending
    if (pending.length === 0) {
      this.#storage = undefined
      return chunk
    }
    const size = pending.length + chunk.length
    let storage = this.#storage
    if (storage === undefined || storage.used + chunk.length > storage.bytes.length) {
      storage = { bytes: new Uint8Array(Math.max(size, pending.length * 2)), used: pending.length }
      storage.bytes.set(pending)
      this.#storage = storage
    }
    storage.bytes.set(chunk, storage.used)
    storage.used += chunk.length
    return storage.bytes.subarray(storage.used - size, storage.used)
  }

  /** Reads a line; returns whether its frame ends with it. */
  #endLine(bytes: Uint8Array, end: number, frameStart: number): boolean {
    let start = this.#lineStart
    if (this.#isFirstLine && bytes[start] === 0xef && bytes[start + 1] === 0xbb && bytes[start + 2] === 0xbf) start += 3
    this.#isFirstLine = false
    if (start === end) return true
    if (bytes[start] === COLON) return !this.#hasFields
    this.#hasFields = true
    if (DATA.every((byte, index) => bytes[start + index] === byte)) {
      const colon = start + DATA.length
      if (colon < end && bytes[colon] === COLON) {
        const value = bytes[colon + 1] === SPACE ? colon + 2 : colon + 1
        this.#data.push({ start: Math.min(value, end) - frameStart, end: end - frameStart })
      }
    }
    return false
  }
}
