/** Line breaks for some clients that JSON allows as they are: NEL, LINE and PARAGRAPH SEPARATOR. */
const UNICODE_LINE_BREAK = /[\u0085\u2028\u2029]/g

/**
 * A value as JSON text on one line, for every notion of a line break that clients have.
 *
 * @throws TypeError for a value without JSON text: `undefined`, a function, a bigint, a cycle
 */
export function toLineOfJson(value: unknown): string {
  const text: string | undefined = JSON.stringify(value)
  if (text === undefined) throw new TypeError('the value has no JSON text')
  return text.replace(UNICODE_LINE_BREAK, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`)
}
