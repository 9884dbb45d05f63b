/** Lone halves of surrogate pairs; pairs are one code point and do not match. */
const LONE_SURROGATE = /\p{Surrogate}/gu

/** Newer than the package's target language, and a hundred times faster where present. */
const builtIn: unknown = Reflect.get(String.prototype, 'toWellFormed')

/**
 * Makes a text valid for UTF-8: every lone half of a surrogate pair becomes U+FFFD. Offsets stay the same; a valid text
 * is returned unchanged.
 */
export function toWellFormed(text: string): string {
  return typeof builtIn === 'function' ? String(builtIn.call(text)) : replaceLoneSurrogates(text)
}

/** {@link toWellFormed} without the method of newer engines. */
export function replaceLoneSurrogates(text: string): string {
  return text.replace(LONE_SURROGATE, '\uFFFD')
}

/** Whether an offset, 0 to the length of the text, lies between the halves of a surrogate pair. */
export function isInsideCharacter(text: string, offset: number): boolean {
  return isHigh(text.charCodeAt(offset - 1)) && isLow(text.charCodeAt(offset))
}

function isHigh(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff
}

function isLow(unit: number): boolean {
  return unit >= 0xdc00 && unit <= 0xdfff
}
