/** Whether a text holds surrogates, so that code units and code points may differ in number. */
export function hasSurrogates(text: string): boolean {
  for (let index = 0; index < text.length; index++) {
    if ((text.charCodeAt(index) & 0xf800) === 0xd800) return true
  }
  return false
}

/** The length in code points, which is the length of a text in Python. */
export function countCodePoints(text: string): number {
  let count = text.length
  for (let index = 0; index + 1 < text.length; index++) {
    if (isPair(text, index)) {
      count--
      index++
    }
  }
  return count
}

/** The code points as texts of their own; lone surrogates count. */
export function toCodePoints(text: string): string[] {
  return hasSurrogates(text) ? Array.from(text) : text.split('')
}

/** The code units that the first `count` code points take. */
export function toUnitOffset(text: string, count: number): number {
  let offset = 0
  for (let passed = 0; passed < count && offset < text.length; passed++) offset += isPair(text, offset) ? 2 : 1
  return offset
}

/** The code points before a code unit offset. */
export function toPointOffset(text: string, offset: number): number {
  return countCodePoints(text.slice(0, offset))
}

/** Like a comparison of code points, which UTF-16 order is not: -1, 0 or 1. */
export function compareCodePoints(left: string, right: string): number {
  const length = Math.min(left.length, right.length)
  for (let index = 0; index < length; index++) {
    const a = left.charCodeAt(index)
    const b = right.charCodeAt(index)
    if (a !== b) return toRank(a) < toRank(b) ? -1 : 1
  }
  return Math.sign(left.length - right.length)
}

/** A surrogate ranks as a code point after the basic plane. */
function toRank(unit: number): number {
  return (unit & 0xf800) === 0xd800 ? unit + 0x10000 : unit
}

function isPair(text: string, index: number): boolean {
  if ((text.charCodeAt(index) & 0xfc00) !== 0xd800) return false
  return (text.charCodeAt(index + 1) & 0xfc00) === 0xdc00
}
