/** Places in a text, found by their offset in bytes of UTF-8. */
export interface ByteTable {
  /** Bytes of the whole text in UTF-8. */
  readonly byteLength: number
  /** The index in the string of a byte offset; undefined inside a character and outside of the text. */
  toIndex(byteOffset: number): number | undefined
}

/** Builds the table of a text in one pass. A lone half of a pair counts as the three bytes of U+FFFD, as it is sent. */
export function buildByteTable(text: string): ByteTable {
  // offsets[index] is the byte offset of a code unit; the second half of a pair has the offset of the first
  const offsets = new Uint32Array(text.length + 1)
  let bytes = 0
  for (let index = 0; index < text.length; ) {
    const code = text.codePointAt(index) ?? 0
    const units = code > 0xffff ? 2 : 1
    offsets.fill(bytes, index, index + units)
    bytes += code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4
    index += units
  }
  offsets[text.length] = bytes
  return { byteLength: bytes, toIndex: (offset) => findFirst(offsets, offset) }
}

/** The first place of a value in ascending values. */
function findFirst(values: Uint32Array, wanted: number): number | undefined {
  let low = 0
  let high = values.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((values[middle] ?? 0) < wanted) low = middle + 1
    else high = middle
  }
  return values[low] === wanted ? low : undefined
}
