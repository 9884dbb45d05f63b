import { domainToASCII, domainToUnicode } from 'node:url'
import { isAscii, looksLikeAscii } from '../look-alikes.ts'

/** An address: one `@` with something on both sides, no blanks or control characters. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it refuses
const EMAIL = /^[^\s@"<>()\u0000-\u001f\u007f]{1,64}@[^\s@"<>()\u0000-\u001f\u007f]{1,190}$/

/** Scripts that today's languages are written in, as identifiers may have them (UAX 31, table 5). */
const SCRIPTS = [
  ...['Latin', 'Cyrillic', 'Greek', 'Armenian', 'Georgian', 'Hebrew', 'Arabic', 'Thaana', 'Ethiopic'],
  ...['Devanagari', 'Bengali', 'Gurmukhi', 'Gujarati', 'Oriya', 'Tamil', 'Telugu', 'Kannada', 'Malayalam', 'Sinhala'],
  ...['Thai', 'Lao', 'Tibetan', 'Myanmar', 'Khmer'],
].map((script) => new RegExp(`^[\\p{scx=${script}}\\p{Script=Common}\\p{Script=Inherited}]*$`, 'u'))
/** East Asian scripts may be mixed with each other and with Latin letters. */
const EAST_ASIAN =
  /^[\p{Script=Latin}\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{scx=Hangul}\p{scx=Bopomofo}\p{Script=Common}]*$/u
/** Everything beyond ASCII that an address may hold: letters, and marks that belong to them. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: all of ASCII
const LETTERS_AND_MARKS = /^[\u0000-\u007f\p{L}\p{M}]*$/u
const IGNORABLE = /\p{Default_Ignorable_Code_Point}/u
/** Marks over letters of alphabets that have a letter of its own for each mark: other marks there are decoration. */
const LOOSE_MARK = /(?:^|[^\p{L}\p{M}]|[\p{Script=Latin}\p{Script=Cyrillic}\p{Script=Greek}\p{Script=Armenian}])\p{M}/u

/**
 * Letters of phonetics, clicks, dialects and old handwriting, and marks that count as letters: addresses do without
 * them, and they are drawn like letters and signs of ASCII (`ʼ`, `ǃ`, `ˍ`, `ꜱ`).
 */
const RARE = /[\u01c0-\u01c3\u02b0-\u02ff\u0640\u1d00-\u1dbf\ua720-\ua7ff\uab30-\uab6f]/
/** Parts of Korean letters, and Bopomofo: beside Latin letters they are taken for some. */
const PARTS = /[\u1100-\u11ff\ua960-\ua97f\ud7b0-\ud7ff]|\p{Script=Bopomofo}/u
const EAST_ASIAN_LETTER = '[\\p{scx=Han}\\p{scx=Hiragana}\\p{scx=Katakana}\\p{scx=Hangul}]'
/**
 * A letter of a stroke or two without another one of its kind beside it: among ASCII it is taken for `-`, `/`, `l` or
 * `z`.
 */
const LONE_STROKE = new RegExp(`(?<!${EAST_ASIAN_LETTER})[ー一丨丶丿乙亅ノソンゾ](?!${EAST_ASIAN_LETTER})`, 'u')

/**
 * An address as it is kept and compared: without blanks at its ends, in lower case, compatible characters (`ａ`, `ﬁ`) as
 * the usual ones, the domain in letters even where it comes as `xn--`. Characters that every domain drops, such as soft
 * hyphens, are dropped.
 */
export function normalizeEmail(email: string): string {
  const plain = email.trim().toLowerCase()
  if (isAscii(plain) && !plain.includes('xn--')) return plain
  const folded = plain.normalize('NFKC').toLowerCase().normalize('NFKC')
  const at = folded.lastIndexOf('@') + 1
  const ascii = at === 0 ? '' : domainToASCII(folded.slice(at))
  return ascii === '' ? folded : `${folded.slice(0, at)}${domainToUnicode(ascii)}`
}

/**
 * Whether a text as {@link normalizeEmail} gives it has the form of an address, and cannot be taken for another one:
 * beyond ASCII it has letters only, each part in one script, and it does not look like an address of ASCII letters.
 */
export function isEmail(text: string): boolean {
  if (!EMAIL.test(text) || text.endsWith('.')) return false
  if (isAscii(text)) return true
  if (!LETTERS_AND_MARKS.test(text) || [IGNORABLE, LOOSE_MARK, RARE].some((one) => one.test(text))) return false
  return text.split(/[@.]/).every(hasOneScript) && !looksLikeAscii(text)
}

function hasOneScript(part: string): boolean {
  if (/[a-z\d]/.test(part) && (PARTS.test(part) || LONE_STROKE.test(part))) return false
  return EAST_ASIAN.test(part) || SCRIPTS.some((script) => script.test(part))
}
