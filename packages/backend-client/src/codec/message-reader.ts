/** Reads the fields of one protobuf message. Bytes are views of the input, not copies. */
export class MessageReader {
  readonly #bytes: Buffer
  #at: number
  #end: number

  constructor(bytes: Buffer) {
    this.#bytes = bytes
    this.#at = 0
    this.#end = bytes.length
  }

  /** The next tag (field number and wire type), or 0 at the end. */
  tag(): number {
    if (this.#at === this.#end) return 0
    const tag = this.#varint32() >>> 0
    if (tag >>> 3 === 0) throw new Error('a field has the number 0')
    return tag
  }

  /** A signed 32-bit varint. The high half of a longer one is dropped, as every protobuf library does. */
  int32(): number {
    return this.#varint32() | 0
  }

  float(): number {
    const at = this.#take(4)
    return this.#bytes.readFloatLE(at)
  }

  double(): number {
    const at = this.#take(8)
    return this.#bytes.readDoubleLE(at)
  }

  bytes(): Buffer {
    const length = this.#length()
    const at = this.#take(length)
    return this.#bytes.subarray(at, at + length)
  }

  string(): string {
    const length = this.#length()
    const at = this.#take(length)
    return this.#bytes.toString('utf8', at, at + length)
  }

  /** Reads a nested message in place. */
  message<T>(read: (reader: MessageReader) => T): T {
    const length = this.#length()
    const at = this.#take(length)
    const outerEnd = this.#end
    this.#at = at
    this.#end = at + length
    const value = read(this)
    this.#end = outerEnd
    return value
  }

  /** Adds the numbers of a packed field. */
  packedFloats(into: number[]): void {
    const length = this.#length()
    if (length % 4 !== 0) throw new Error('packed floats end inside a number')
    const end = this.#take(length) + length
    for (let at = end - length; at < end; at += 4) into.push(this.#bytes.readFloatLE(at))
  }

  /** Adds the numbers of a packed field. */
  packedInt32s(into: number[]): void {
    this.message((reader) => {
      while (reader.#at < reader.#end) into.push(reader.int32())
    })
  }

  /** Skips the field of a tag. A group is skipped with all that is in it. */
  skip(tag: number): void {
    let groups = 0
    let next = tag
    while (true) {
      if (this.#skipOne(next & 7)) groups += (next & 7) === 3 ? 1 : -1
      if (groups < 0) throw new Error('a group ends that did not begin')
      if (groups === 0) return
      next = this.tag()
      if (next === 0) throw new Error('the message ends inside a group')
    }
  }

  /** True for the start or the end of a group. */
  #skipOne(wireType: number): boolean {
    if (wireType === 3 || wireType === 4) return true
    if (wireType === 0) this.#varint32()
    else if (wireType === 1) this.#take(8)
    else if (wireType === 2) this.#take(this.#length())
    else if (wireType === 5) this.#take(4)
    else throw new Error(`wire type ${wireType} is unknown`)
    return false
  }

  #length(): number {
    return this.#varint32() >>> 0
  }

  /** Moves past some bytes and gives the place where they begin. */
  #take(length: number): number {
    const at = this.#at
    if (length > this.#end - at) throw new Error('the message ends inside a field')
    this.#at = at + length
    return at
  }

  /** The low 32 bits of a varint of at most ten bytes. */
  #varint32(): number {
    const first = this.#byte()
    if (first < 0x80) return first
    let value = first & 0x7f
    for (let count = 1; count < 10; count += 1) {
      const byte = this.#byte()
      if (count < 5) value |= (byte & 0x7f) << (7 * count)
      if (byte < 0x80) return value
    }
    throw new Error('a number is longer than ten bytes')
  }

  #byte(): number {
    const byte = this.#bytes[this.#at]
    if (byte === undefined || this.#at >= this.#end) throw new Error('the message ends inside a number')
    this.#at += 1
    return byte
  }
}
