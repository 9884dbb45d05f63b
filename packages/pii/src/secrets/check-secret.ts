import type { Span } from '../span.ts'
import type { SecretKind, SecretPart } from './secret-kind.ts'

/** The private part of a match of a kind, in offsets of the match; undefined where the match is not a secret. */
export function findSecret(kind: SecretKind, match: string): Span | undefined {
  const span = kind.part === undefined ? { start: 0, end: match.length } : findPart(kind.part, match)
  const secret = match.slice(span.start, span.end)
  if (kind.isPlaceholderChecked !== false && isPlaceholder(secret)) return undefined
  if (kind.check === 'random') return looksRandom(secret) ? span : undefined
  if (kind.check === 'password') return looksChosen(secret) ? span : undefined
  return span
}

/** The names and marks in front of each part. */
const LEADS: Readonly<Record<Exclude<SecretPart, 'password'>, RegExp>> = {
  value: /^[^=:,]*?(?:=>|:=|[=:,])[ \t]*["'`]?/,
  'last-value': /^[\s\S]*(?:password|pwd|secret)=/i,
  word: /^[\s\S]*\s/,
}

function findPart(part: SecretPart, match: string): Span {
  if (part !== 'password') return { start: LEADS[part].exec(match)?.[0].length ?? 0, end: match.length }
  const start = match.indexOf(':', match.indexOf('://') + 3) + 1
  return { start, end: match.lastIndexOf('@') }
}

/** Stand-ins for secrets in documents. */
const PLACEHOLDER =
  /example|placeholder|redacted|x{6}|X{6}|\*{4}|\.{3}|<|>|your[-_ ]?(?:key|token|secret|password|api)/i

/** Whether a text is an example from documents, not a secret. */
function isPlaceholder(text: string): boolean {
  return PLACEHOLDER.test(text)
}

/** Least bits of a character, and digits, of a random text. */
const LEAST_BITS = 3
const LEAST_DIGITS = 2

function looksRandom(text: string): boolean {
  const digits = text.length - text.replace(/\d/g, '').length
  if (digits < LEAST_DIGITS || digits === text.length || isIdentifier(text)) return false
  return measureBits(text) >= LEAST_BITS
}

/** Shortest word in the names of a program, and most digits between its words. */
const LEAST_LETTERS = 3
const MANY_DIGITS = /\d{5}/

/** Whether a text is words with a few digits: `buildP256KeyFromScalar`. */
function isIdentifier(text: string): boolean {
  const words = text.match(/[A-Z]?[a-z]+/g) ?? []
  return words.length > 1 && words.every(({ length }) => length >= LEAST_LETTERS) && !MANY_DIGITS.test(text)
}

/** Words that documents write in place of a password. */
const STAND_INS =
  /^(?:(?:my|the|a|new|old|some|your|user|db|test|super|secret|admin|root)?[-_]?(?:pass(?:word|wd|phrase)?|pwd|pw|secret|token|key)[-_]?\d{0,3}|changeme|change[-_]me|test\d*|foo|bar|baz|postgres|root|admin|guest|user(?:name)?|mysql|redis|none|null|undefined|true|false|string|xxx+)$/i
/** Marks of variables and formats, and words of letters: the password is elsewhere. */
const VARIABLE = /[$%{}]|^[A-Za-z_]+(?:[.-]+[A-Za-z_]+)*$|^:/

function looksChosen(text: string): boolean {
  return text.length >= 3 && !STAND_INS.test(text) && !VARIABLE.test(text)
}

/** Shannon's entropy of the characters of a text, in bits a character. */
function measureBits(text: string): number {
  const counts = new Map<string, number>()
  for (const char of text) counts.set(char, (counts.get(char) ?? 0) + 1)
  let bits = 0
  for (const count of counts.values()) bits -= (count / text.length) * Math.log2(count / text.length)
  return bits
}
