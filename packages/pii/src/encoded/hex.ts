import { MIN_RUN_LENGTH } from './encoded-runs.ts'
import { PrintableTexts } from './printable.ts'
import { STEP_CHARACTERS, type Steps } from './reading.ts'

const DIGITS = /[0-9A-Fa-f]+/g

/** The texts that hex digits among symbols stand for, read from the first digit and from the second. */
export function* readHex(symbols: string): Steps<string> {
  for (const [digits] of symbols.matchAll(DIGITS)) {
    if (digits.length < MIN_RUN_LENGTH) continue
    const bytes = new Uint8Array(digits.length >> 1)
    for (const shift of [0, 1]) {
      for (let at = shift; at + 1 < digits.length; at += STEP_CHARACTERS) {
        decodeStep(digits, { shift, at }, bytes)
        if (digits.length > STEP_CHARACTERS) yield undefined
      }
      const texts = new PrintableTexts(bytes, (digits.length - shift) >> 1)
      while (texts.advance()) yield texts.text
    }
  }
}

/** Decodes digits from a place on, as many as one step has. */
function decodeStep(digits: string, from: { readonly shift: number; readonly at: number }, bytes: Uint8Array): void {
  const end = Math.min(digits.length, from.at + STEP_CHARACTERS)
  let to = (from.at - from.shift) >> 1
  for (let { at } = from; at + 1 < end; at += 2) {
    bytes[to++] = (digitAt(digits, at) << 4) | digitAt(digits, at + 1)
  }
}

/** The value of a digit: the letters of both cases end in the same four bits, from 1 on. */
function digitAt(digits: string, at: number): number {
  const unit = digits.charCodeAt(at)
  return unit < 0x40 ? unit & 15 : (unit & 15) + 9
}
