import { invalidReply } from './errors.ts'
import { type ParsedHead, parseHead } from './head.ts'
import type { BodyPiece } from './upstream.ts'

/** Bytes of a reply's head, its interim replies included, and of its trailers. */
export const MAX_HEAD_BYTES = 64 * 1024
/** Interim replies (1xx) before the reply; a server that sends more will not answer. */
export const MAX_INTERIM_REPLIES = 16
/** Bytes of one line that announces a chunk, its extensions included. */
const MAX_CHUNK_LINE_BYTES = 1024
/** Hexadecimal digits of a chunk's size; more digits would pass the range of exact numbers. */
const MAX_SIZE_DIGITS = 12

const HEAD = 0
const FIXED = 1
const UNTIL_CLOSE = 2
const CHUNK_SIZE = 3
const CHUNK_EXTENSION = 4
const CHUNK_SIZE_LF = 5
const CHUNK_DATA = 6
const CHUNK_DATA_CR = 7
const CHUNK_DATA_LF = 8
const TRAILER_START = 9
const TRAILER_LINE = 10
const TRAILER_LF = 11
const TRAILERS_LF = 12
const COMPLETE = 13

const CR = 0x0d
const LF = 0x0a
const SEMICOLON = 0x3b
const SPACE = 0x20
const TAB = 0x09
const NOTHING = Buffer.alloc(0)
const END_OF_HEAD = Buffer.from('\r\n\r\n')

/** Value of a hexadecimal digit, 255 for anything else. */
const HEX = Uint8Array.from({ length: 256 }, (_, code) => {
  const digit = Number.parseInt(String.fromCharCode(code), 16)
  return Number.isNaN(digit) ? 255 : digit
})

/**
 * Parses one reply from the bytes of a connection, in pieces of any size. It removes chunk framing by moving the data
 * together inside the given buffer, so that each piece read has at most one piece of body.
 */
export class ReplyParser implements BodyPiece {
  /** Status and headers of the reply, as soon as they are in; interim replies are skipped. */
  head: ParsedHead | undefined
  /** The body found by the last {@link execute}: a half-open range of its buffer. */
  bodyStart = 0
  bodyEnd = 0
  /** Whether bytes follow that do not belong to the reply. */
  hasSurplus = false
  /** Whether a byte has arrived. */
  hasBegun = false
  /** The buffer of the last {@link execute}. */
  #buffer: Buffer = NOTHING
  #state = HEAD
  #isHead = false
  /** Start of a head that came in pieces. */
  #carry: Buffer | undefined
  /** Bytes of head or trailers so far. */
  #headBytes = 0
  #interim = 0
  /** Bytes left of a fixed body or of the current chunk. */
  #left = 0
  #digits = 0
  #lineBytes = 0

  /** Whether the whole reply has arrived. */
  get isComplete(): boolean {
    return this.#state === COMPLETE
  }

  toLatin1(): string {
    return this.#buffer.toString('latin1', this.bodyStart, this.bodyEnd)
  }

  toBuffer(): Buffer {
    return Buffer.from(this.#buffer.subarray(this.bodyStart, this.bodyEnd))
  }

  /** Prepares the parser for the reply to another request. */
  reset(isHead: boolean): void {
    this.head = undefined
    this.hasSurplus = false
    this.hasBegun = false
    this.#state = HEAD
    this.#isHead = isHead
    this.#carry = undefined
    this.#headBytes = 0
    this.#interim = 0
  }

  /**
   * Parses the bytes up to `end`; it may overwrite them.
   *
   * @throws {SvcError} `upstream_failed`, reason `invalid_reply`; the connection is unusable afterwards
   */
  execute(buffer: Buffer, end: number): void {
    this.hasBegun = true
    this.#buffer = buffer
    this.bodyStart = 0
    this.bodyEnd = 0
    let position = 0
    while (this.#state === HEAD && position < end) position = this.#readHead(buffer, position, end)
    if (position >= end) return
    this.bodyStart = position
    this.bodyEnd = position
    switch (this.#state) {
      case FIXED:
        position = this.#readFixed(position, end)
        break
      case UNTIL_CLOSE:
        this.bodyEnd = end
        return
      case COMPLETE:
        break
      default:
        position = this.#readChunks(buffer, position, end)
    }
    if (position < end) this.hasSurplus = true
  }

  /**
   * Reports the end of the connection.
   *
   * @returns whether the reply is complete
   */
  finish(): boolean {
    if (this.#state === UNTIL_CLOSE) this.#state = COMPLETE
    return this.#state === COMPLETE
  }

  #readHead(buffer: Buffer, start: number, end: number): number {
    const carry = this.#carry
    if (carry === undefined) {
      const found = buffer.indexOf(END_OF_HEAD, start)
      if (found >= 0 && found + 4 <= end) {
        this.#take(buffer.toString('latin1', start, found), found + 4 - start)
        return found + 4
      }
      this.#checkHeadBytes(end - start)
      this.#carry = keepHead(undefined, buffer.subarray(start, end))
      return end
    }
    const joined = keepHead(carry, buffer.subarray(start, end))
    const found = joined.indexOf(END_OF_HEAD, Math.max(0, carry.length - 3))
    if (found < 0) {
      this.#checkHeadBytes(joined.length)
      this.#carry = joined
      return end
    }
    this.#carry = undefined
    this.#take(joined.toString('latin1', 0, found), found + 4)
    return start + found + 4 - carry.length
  }

  #checkHeadBytes(pending: number): void {
    if (this.#headBytes + pending > MAX_HEAD_BYTES) throw invalidReply('the head is too large')
  }

  #take(text: string, sizeBytes: number): void {
    this.#checkHeadBytes(sizeBytes)
    this.#headBytes += sizeBytes
    const head = parseHead(text, this.#isHead)
    if (head.status < 200) {
      if (head.status === 101) throw invalidReply('the protocol was changed without being asked')
      this.#interim += 1
      if (this.#interim > MAX_INTERIM_REPLIES) throw invalidReply('too many interim replies')
      return
    }
    this.head = head
    this.#headBytes = 0
    this.#digits = 0
    this.#lineBytes = 0
    this.#left = head.lengthBytes
    switch (head.framing) {
      case 'none':
        this.#state = COMPLETE
        return
      case 'length':
        this.#state = FIXED
        return
      case 'chunked':
        this.#state = CHUNK_SIZE
        return
      case 'close':
        this.#state = UNTIL_CLOSE
    }
  }

  #readFixed(start: number, end: number): number {
    const taken = Math.min(this.#left, end - start)
    this.#left -= taken
    if (this.#left === 0) this.#state = COMPLETE
    this.bodyEnd = start + taken
    return this.bodyEnd
  }

  #readChunks(buffer: Buffer, start: number, end: number): number {
    let position = start
    let state = this.#state
    while (position < end && state !== COMPLETE) {
      if (state === CHUNK_DATA) {
        const taken = Math.min(this.#left, end - position)
        this.#keep(buffer, position, position + taken)
        position += taken
        this.#left -= taken
        if (this.#left === 0) state = CHUNK_DATA_CR
      } else {
        state = this.#step(state, buffer[position] ?? 0)
        position += 1
      }
    }
    this.#state = state
    return position
  }

  /** Appends a range to the body of this piece. */
  #keep(buffer: Buffer, start: number, end: number): void {
    if (this.bodyEnd === this.bodyStart) {
      this.bodyStart = start
      this.bodyEnd = end
      return
    }
    buffer.copyWithin(this.bodyEnd, start, end)
    this.bodyEnd += end - start
  }

  /** One byte of chunk framing or trailers. */
  #step(state: number, byte: number): number {
    switch (state) {
      case CHUNK_SIZE:
        return this.#sizeByte(byte)
      case CHUNK_EXTENSION:
        return this.#extensionByte(byte)
      case CHUNK_SIZE_LF:
        expectByte(byte, LF)
        this.#digits = 0
        this.#lineBytes = 0
        return this.#left === 0 ? TRAILER_START : CHUNK_DATA
      case CHUNK_DATA_CR:
        expectByte(byte, CR)
        return CHUNK_DATA_LF
      case CHUNK_DATA_LF:
        expectByte(byte, LF)
        return CHUNK_SIZE
      default:
        return this.#trailerByte(state, byte)
    }
  }

  #sizeByte(byte: number): number {
    const digit = HEX[byte] ?? 255
    if (digit !== 255) {
      this.#digits += 1
      if (this.#digits > MAX_SIZE_DIGITS) throw invalidReply('a chunk is too large')
      this.#left = this.#left * 16 + digit
      return CHUNK_SIZE
    }
    if (this.#digits === 0) throw invalidReply('a chunk has no size')
    if (byte === CR) return CHUNK_SIZE_LF
    if (byte === SEMICOLON) return CHUNK_EXTENSION
    throw invalidReply('the size of a chunk is malformed')
  }

  #extensionByte(byte: number): number {
    if (byte === CR) return CHUNK_SIZE_LF
    checkText(byte)
    this.#lineBytes += 1
    if (this.#lineBytes > MAX_CHUNK_LINE_BYTES) throw invalidReply('the extensions of a chunk are too long')
    return CHUNK_EXTENSION
  }

  /** Trailers are read and dropped: the headers have already been sent, and trailers must not change the reply. */
  #trailerByte(state: number, byte: number): number {
    this.#headBytes += 1
    if (this.#headBytes > MAX_HEAD_BYTES) throw invalidReply('the trailers are too large')
    switch (state) {
      case TRAILER_START:
        if (byte === CR) return TRAILERS_LF
        if (byte === SPACE || byte === TAB) throw invalidReply('a trailer is folded')
        checkText(byte)
        return TRAILER_LINE
      case TRAILER_LINE:
        if (byte === CR) return TRAILER_LF
        checkText(byte)
        return TRAILER_LINE
      case TRAILER_LF:
        expectByte(byte, LF)
        return TRAILER_START
      default:
        expectByte(byte, LF)
        return COMPLETE
    }
  }
}

/** Adds a piece to an incomplete head. Refuses a line that ends in a bare LF, because such a head would never end. */
function keepHead(carry: Buffer | undefined, piece: Buffer): Buffer {
  const joined = carry === undefined ? Buffer.from(piece) : Buffer.concat([carry, piece])
  const from = carry === undefined ? 0 : carry.length
  for (let at = joined.indexOf(LF, from); at >= 0; at = joined.indexOf(LF, at + 1)) {
    if (joined[at - 1] !== CR) throw invalidReply('a line ends in a bare line feed')
    // The body begins after an empty line, and may hold any bytes.
    if (at >= 3 && joined[at - 2] === LF) break
  }
  return joined
}

function expectByte(byte: number, expected: number): void {
  if (byte !== expected) throw invalidReply('the framing of a chunk is malformed')
}

function checkText(byte: number): void {
  if ((byte < SPACE && byte !== TAB) || byte === 0x7f) throw invalidReply('a control character stands in the framing')
}
