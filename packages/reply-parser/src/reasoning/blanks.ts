/**
 * Whether a UTF-16 unit is white space by Unicode. `trim` differs: it also removes the byte order mark, and it leaves
 * U+0085.
 */
function isBlank(unit: number): boolean {
  if (unit < 0x80) return unit === 0x20 || (unit >= 0x09 && unit <= 0x0d)
  return (
    unit === 0x85 ||
    unit === 0xa0 ||
    unit === 0x1680 ||
    (unit >= 0x2000 && unit <= 0x200a) ||
    unit === 0x2028 ||
    unit === 0x2029 ||
    unit === 0x202f ||
    unit === 0x205f ||
    unit === 0x3000
  )
}

/** Offset of the first unit at or after `from` that is not white space; the length if all units are white space. */
export function skipBlanks(text: string, from = 0): number {
  let at = from
  while (at < text.length && isBlank(text.charCodeAt(at))) at++
  return at
}

/** Offset after the last unit that is not white space; 0 if all units are white space. */
export function endWithoutBlanks(text: string): number {
  let end = text.length
  while (end > 0 && isBlank(text.charCodeAt(end - 1))) end--
  return end
}
