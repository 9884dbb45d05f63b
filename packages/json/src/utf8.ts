/**
 * Length in bytes of the well-formed multi-byte UTF-8 sequence at an offset (RFC 3629): 2, 3 or 4, or 0 for other bytes
 * (overlong, a surrogate, past U+10FFFF, cut off, or a stray continuation).
 */
export function measureMultiByte(bytes: Uint8Array, offset: number): 0 | 2 | 3 | 4 {
  const lead = bytes[offset] ?? 0
  const second = bytes[offset + 1] ?? 0
  if (lead < 0xc2 || (second & 0xc0) !== 0x80) return 0
  if (lead < 0xe0) return 2
  if (((bytes[offset + 2] ?? 0) & 0xc0) !== 0x80) return 0
  if (lead < 0xf0) {
    const isOverlong = lead === 0xe0 && second < 0xa0
    const isSurrogate = lead === 0xed && second >= 0xa0
    return isOverlong || isSurrogate ? 0 : 3
  }
  if (((bytes[offset + 3] ?? 0) & 0xc0) !== 0x80 || lead > 0xf4) return 0
  const isOverlong = lead === 0xf0 && second < 0x90
  const isPastLast = lead === 0xf4 && second >= 0x90
  return isOverlong || isPastLast ? 0 : 4
}
