/** Halves of surrogate pairs that stand alone; pairs are one code point and do not match. */
const LONE_SURROGATE = /\p{Surrogate}/gu

/** Newer than the language the package is written for, and a hundred times faster where it is there. */
const builtIn: unknown = Reflect.get(String.prototype, 'toWellFormed')

/**
 * A text that can be written as UTF-8: every lone half of a surrogate pair becomes U+FFFD. Offsets stay as they are;
 * the same string comes back when there is nothing to do.
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
