/** Converts a position in a text to its byte offset in UTF-8. */
export type ByteOffsets = (at: number) => number

/**
 * Creates a converter of one text's UTF-16 positions, for mostly ascending queries: each costs as much as the distance
 * from the previous one.
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
