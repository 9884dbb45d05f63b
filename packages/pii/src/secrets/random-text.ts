/** Stand-ins for secrets in documents. */
const PLACEHOLDER =
  /example|placeholder|redacted|x{6}|X{6}|\*{4}|\.{3}|<[^>]*>|your[-_ ]?(?:key|token|secret|password|api)/i

/** Whether a text is an example from documents, not a secret. */
export function isPlaceholder(text: string): boolean {
  return PLACEHOLDER.test(text)
}

/** Least bits of a character, and digits, of a random text. */
const LEAST_BITS = 3
const LEAST_DIGITS = 2

/** Whether a text looks as if it was drawn, and not like a name or a number. */
export function looksRandom(text: string): boolean {
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

/** Shannon's entropy of the characters of a text, in bits a character. */
export function measureBits(text: string): number {
  const counts = new Map<string, number>()
  for (const char of text) counts.set(char, (counts.get(char) ?? 0) + 1)
  let bits = 0
  for (const count of counts.values()) bits -= (count / text.length) * Math.log2(count / text.length)
  return bits
}
