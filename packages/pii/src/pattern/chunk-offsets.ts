/** Mask of four bytes: the set bits mark characters beyond ASCII. */
const NOT_ASCII = 0x80808080

/** Converts byte offsets of a chunk of UTF-8 to offsets in code units. Fast for ascending queries. */
export class ChunkOffsets {
  private readonly bytes: Uint8Array
  private readonly words: Uint32Array
  private start = 0
  private isAscii = true
  private byte = 0
  private unit = 0

  /** @param bytes the buffer of chunks, a multiple of four bytes long */
  constructor(bytes: Uint8Array) {
    this.bytes = bytes
    this.words = new Uint32Array(bytes.buffer)
  }

  /** Begins a new chunk, which is in the text from `start` on. */
  reset(start: number, isAscii: boolean): void {
    this.start = start
    this.isAscii = isAscii
    this.byte = 0
    this.unit = 0
  }

  /** The offset in the text of the character that begins at a byte. */
  unitAt(byte: number): number {
    if (this.isAscii) return this.start + byte
    if (byte < this.byte) this.reset(this.start, false)
    const { bytes, words } = this
    let { byte: at, unit } = this
    while (at < byte) {
      if ((at & 3) === 0 && at + 4 <= byte && ((words[at >> 2] ?? 0) & NOT_ASCII) === 0) {
        at += 4
        unit += 4
        continue
      }
      const value = bytes[at++] ?? 0
      // A continuation byte begins no character; one of four bytes is two code units.
      if ((value & 0xc0) !== 0x80) unit += value >= 0xf0 ? 2 : 1
    }
    this.byte = at
    this.unit = unit
    return this.start + unit
  }
}
