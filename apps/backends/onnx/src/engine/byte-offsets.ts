/** Gives the byte offset in UTF-8 of places in a text. */
export type ByteOffsets = (at: number) => number

/**
 * Byte offsets of one text by UTF-16 units, for places that mostly rise: each question costs as much as the way from the
 * one before.
 */
export function createByteOffsets(text: string): ByteOffsets {
  let unit = 0
  let bytes = 0
  return (at) => {
    if (at < unit) {
      unit = 0
      bytes = 0
    }
    bytes += Buffer.byteLength(text.slice(unit, at))
    unit = at
    return bytes
  }
}
