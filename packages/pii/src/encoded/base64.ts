import { findPrintableTexts } from './printable.ts'
import { STEP_CHARACTERS, type Steps } from './reading.ts'

const encoder = new TextEncoder()

/** The value of each symbol, of either alphabet. */
const VALUES = new Uint8Array(128)
for (const alphabet of [
  'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/',
  'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_',
]) {
  for (let value = 0; value < alphabet.length; value++) VALUES[alphabet.charCodeAt(value)] = value
}

/**
 * Decodes the texts of base64 symbols, starting at each of the first four positions: the text in front, such as the
 * path of an address, may consist of symbols too.
 */
export function* readBase64(symbols: string): Steps<string> {
  const values = encoder.encode(symbols)
  for (let at = 0; at < values.length; at++) {
    values[at] = VALUES[values[at] ?? 0] ?? 0
    if (at % STEP_CHARACTERS === STEP_CHARACTERS - 1) yield undefined
  }
  const bytes = new Uint8Array((values.length * 3) >> 2)
  for (let shift = 0; shift < 4; shift++) {
    for (let at = shift; at < values.length; at += STEP_CHARACTERS) {
      decodeStep(values, { shift, at }, bytes)
      if (at >= STEP_CHARACTERS) yield undefined
    }
    yield* findPrintableTexts(bytes.subarray(0, ((values.length - shift) * 3) >> 2))
  }
}

/** Decodes one step of values: three bytes from every four. */
function decodeStep(
  values: Uint8Array,
  from: { readonly shift: number; readonly at: number },
  bytes: Uint8Array,
): void {
  const end = Math.min(values.length, from.at + STEP_CHARACTERS)
  let to = ((from.at - from.shift) * 3) >> 2
  for (let { at } = from; at < end; at += 4) {
    const second = values[at + 1] ?? 0
    const third = values[at + 2] ?? 0
    // Writes past the end of the array, after incomplete last values, are ignored.
    bytes[to++] = ((values[at] ?? 0) << 2) | (second >> 4)
    bytes[to++] = (second << 4) | (third >> 2)
    bytes[to++] = (third << 6) | (values[at + 3] ?? 0)
  }
}
