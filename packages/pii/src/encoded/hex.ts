import { MIN_RUN_LENGTH } from './encoded-runs.ts'
import { isHexDigit, toHexValue } from './hex-digits.ts'
import { findPrintableTexts } from './printable.ts'
import { STEP_CHARACTERS, type Steps } from './reading.ts'

const encoder = new TextEncoder()

/** Decodes the texts of hex digits among symbols, from the first digit and from the second. */
export function* readHex(symbols: string): Steps<string> {
  for (let start = 0; start < symbols.length; ) {
    let end = start
    while (end < symbols.length && isHexDigit(symbols.charCodeAt(end))) {
      end++
      if ((end - start) % STEP_CHARACTERS === 0) yield undefined
    }
    if (end - start >= MIN_RUN_LENGTH) yield* readDigits(symbols.slice(start, end))
    start = end + 1
  }
}

function* readDigits(digits: string): Steps<string> {
  const codes = encoder.encode(digits)
  for (const shift of [0, 1]) {
    const bytes = new Uint8Array((digits.length - shift) >> 1)
    for (let to = 0; to < bytes.length; to++) {
      bytes[to] = (toHexValue(codes[shift + 2 * to] ?? 0) << 4) | toHexValue(codes[shift + 2 * to + 1] ?? 0)
      if (to % STEP_CHARACTERS === STEP_CHARACTERS - 1) yield undefined
    }
    yield* findPrintableTexts(bytes)
  }
}
