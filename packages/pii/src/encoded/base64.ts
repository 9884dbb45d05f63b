import { PrintableTexts } from './printable.ts'
import { STEP_CHARACTERS, type Steps } from './reading.ts'

/** The value of each symbol, of either alphabet. */
const VALUES = new Uint8Array(128)
for (const alphabet of [
  'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/',
  'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_',
]) {
  for (let value = 0; value < alphabet.length; value++) VALUES[alphabet.charCodeAt(value)] = value
}

/**
 * The texts that symbols of base64 stand for. They are read from each of the first four places on: what stands in front
 * of the encoded text, such as the path of an address, may be made of symbols too.
 */
export function* readBase64(symbols: string): Steps<string> {
  const bytes = new Uint8Array((symbols.length * 3) >> 2)
  for (let shift = 0; shift < 4; shift++) {
    for (let at = shift; at < symbols.length; at += STEP_CHARACTERS) {
      decodeStep(symbols, { shift, at }, bytes)
      if (symbols.length > STEP_CHARACTERS) yield undefined
    }
    const texts = new PrintableTexts(bytes, ((symbols.length - shift) * 3) >> 2)
    while (texts.advance()) yield texts.text
  }
}

/** Decodes symbols from a place on, as many as one step has. */
function decodeStep(symbols: string, from: { readonly shift: number; readonly at: number }, bytes: Uint8Array): void {
  const end = Math.min(symbols.length, from.at + STEP_CHARACTERS)
  let to = ((from.at - from.shift) * 3) >> 2
  for (let { at } = from; at < end; at += 4) {
    const four =
      (valueAt(symbols, at) << 18) |
      (valueAt(symbols, at + 1) << 12) |
      (valueAt(symbols, at + 2) << 6) |
      valueAt(symbols, at + 3)
    // What the last symbols do not fill lies past the end of the array, which takes no notice.
    bytes[to++] = four >> 16
    bytes[to++] = four >> 8
    bytes[to++] = four
  }
}

function valueAt(symbols: string, at: number): number {
  return at < symbols.length ? (VALUES[symbols.charCodeAt(at)] ?? 0) : 0
}
