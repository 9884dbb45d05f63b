/** Whether the ASCII text is at this place. */
export function hasText(bytes: Uint8Array, offset: number, text: string): boolean {
  if (offset < 0 || offset + text.length > bytes.length) return false
  for (let index = 0; index < text.length; index++) {
    if (bytes[offset + index] !== text.charCodeAt(index)) return false
  }
  return true
}

/** The first place of the ASCII text at or after `from`; -1 if it is not there. */
export function findText(bytes: Uint8Array, text: string, from = 0): number {
  const first = text.charCodeAt(0)
  for (let place = bytes.indexOf(first, from); place >= 0; place = bytes.indexOf(first, place + 1)) {
    if (hasText(bytes, place, text)) return place
  }
  return -1
}

/** Reads bytes as characters, one each; fewer at the end. */
export function readText(bytes: Uint8Array, offset: number, length: number): string {
  return String.fromCharCode(...bytes.subarray(offset, offset + length))
}
