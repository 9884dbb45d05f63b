/** Size of the buffer that all small messages are written into before they are copied out. */
const SCRATCH_BYTES = 16 * 1024
/** Longest text that is written character by character; its length fits one byte. */
const SHORT_TEXT = 32
const LARGEST_FLOAT = 3.4028234663852886e38

const SCRATCH = Buffer.allocUnsafeSlow(SCRATCH_BYTES)

/** Writes the fields of one protobuf message, with room for a head in front. Only one is in use at a time. */
export class MessageWriter {
  #bytes = SCRATCH
  #at: number

  /** @param headBytes zeros before the message */
  constructor(headBytes: number) {
    this.#at = headBytes
    this.#bytes.fill(0, 0, headBytes)
  }

  /** Everything that was written, in a buffer of its own. */
  finish(): Buffer {
    const written = this.#bytes.subarray(0, this.#at)
    return this.#bytes === SCRATCH ? Buffer.from(written) : written
  }

  /** A field of text. */
  text(tag: number, value: string): void {
    this.#reserve(10 + 3 * value.length)
    this.#varint(tag)
    if (value.length > SHORT_TEXT || !this.#writeAscii(value)) this.#writeUtf8(value)
  }

  /** @throws an error unless the value is a signed 32-bit integer */
  int32(tag: number, value: number): void {
    this.#reserve(15)
    this.#varint(tag)
    this.#writeInt32(value)
  }

  /** @throws an error for a finite number that is too large */
  float(tag: number, value: number): void {
    if (typeof value !== 'number' || (Number.isFinite(value) && Math.abs(value) > LARGEST_FLOAT)) {
      throw new Error(`invalid float: ${value}`)
    }
    this.#reserve(9)
    this.#varint(tag)
    this.#at = this.#bytes.writeFloatLE(value, this.#at)
  }

  /** A field that is true. */
  flag(tag: number): void {
    this.#reserve(6)
    this.#varint(tag)
    this.#byte(1)
  }

  /** A packed field. */
  int32s(tag: number, values: readonly (number | undefined)[]): void {
    this.#nest(tag, () => {
      for (const value of values) {
        this.#reserve(10)
        this.#writeInt32(value ?? 0)
      }
    })
  }

  /** A nested message. */
  message<T>(tag: number, value: T, write: (writer: MessageWriter, value: T) => void): void {
    this.#nest(tag, () => write(this, value))
  }

  #nest(tag: number, write: () => void): void {
    this.#reserve(6)
    this.#varint(tag)
    const start = this.#at
    this.#at += 1
    write()
    this.#closeLength(start, 1)
  }

  #writeInt32(value: number): void {
    if ((value | 0) !== value) throw new Error(`invalid int32: ${value}`)
    if (value >= 0) {
      this.#varint(value)
      return
    }
    // Sign-extended to 64 bits: ten bytes.
    this.#varint(value >>> 0)
    this.#at -= 1
    this.#byte((value >>> 28) | 0xf0)
    for (let count = 0; count < 4; count += 1) this.#byte(0xff)
    this.#byte(1)
  }

  /** False, and nothing written, for a text with another character. */
  #writeAscii(value: string): boolean {
    const start = this.#at
    this.#byte(value.length)
    for (let index = 0; index < value.length; index += 1) {
      const code = value.charCodeAt(index)
      if (code > 0x7f) {
        this.#at = start
        return false
      }
      this.#byte(code)
    }
    return true
  }

  #writeUtf8(value: string): void {
    const start = this.#at
    const guess = varintSize(value.length)
    this.#at = start + guess
    this.#at += this.#bytes.write(value, this.#at, 'utf8')
    this.#closeLength(start, guess)
  }

  /** Writes the length of the bytes after the reserved ones; moves them first where the length needs other room. */
  #closeLength(start: number, reserved: number): void {
    const begin = start + reserved
    const end = this.#at
    const size = varintSize(end - begin)
    if (size !== reserved) {
      this.#reserve(size)
      this.#bytes.copyWithin(start + size, begin, end)
    }
    this.#at = start
    this.#varint(end - begin)
    this.#at = start + size + (end - begin)
  }

  #varint(value: number): void {
    let rest = value
    while (rest > 0x7f) {
      this.#byte((rest & 0x7f) | 0x80)
      rest >>>= 7
    }
    this.#byte(rest)
  }

  #byte(value: number): void {
    this.#bytes[this.#at] = value
    this.#at += 1
  }

  #reserve(bytes: number): void {
    const needed = this.#at + bytes
    if (needed <= this.#bytes.length) return
    const grown = Buffer.allocUnsafe(Math.max(needed, 2 * this.#bytes.length))
    this.#bytes.copy(grown, 0, 0, this.#at)
    this.#bytes = grown
  }
}

/** Bytes of a number below 2 ** 32. */
function varintSize(value: number): number {
  if (value < 0x80) return 1
  if (value < 0x4000) return 2
  if (value < 0x20_0000) return 3
  return value < 0x1000_0000 ? 4 : 5
}

/** Bytes in front of every message of gRPC: a flag for compression, and the length in four bytes. */
export const FRAME_HEAD_BYTES = 5

/** A message with its head in front, ready for the wire. */
export function frameMessage<T>(write: (writer: MessageWriter, message: T) => void, message: T): Buffer {
  const writer = new MessageWriter(FRAME_HEAD_BYTES)
  write(writer, message)
  return writeFrameHead(writer.finish())
}

/** Writes the length of a message into the head in front of it. The flag is already zero: not compressed. */
export function writeFrameHead(frame: Buffer): Buffer {
  frame.writeUInt32BE(frame.length - FRAME_HEAD_BYTES, 1)
  return frame
}
