import { printableTexts } from './printable.ts'
import { STEP_CHARACTERS, type Steps } from './reading.ts'

const encoder = new TextEncoder()
/** As many digits as the shortest run has. */
const DIGITS = /[0-9A-Fa-f]{24,}/g

/** The texts that hex digits among symbols stand for, read from the first digit and from the second. */
export function* readHex(symbols: string): Steps<string> {
  for (const [digits] of symbols.matchAll(DIGITS)) {
    const codes = encoder.encode(digits)
    for (const shift of [0, 1]) {
      const bytes = new Uint8Array((digits.length - shift) >> 1)
      for (let to = 0; to < bytes.length; to++) {
        bytes[to] = (toValue(codes[shift + 2 * to]) << 4) | toValue(codes[shift + 2 * to + 1])
        if (to % STEP_CHARACTERS === STEP_CHARACTERS - 1) yield undefined
      }
      yield* printableTexts(bytes)
    }
  }
}

/** The value of a digit: the letters of both cases end in the same four bits, from 1 on. */
function toValue(code = 0): number {
  return code < 0x40 ? code & 15 : (code & 15) + 9
}
