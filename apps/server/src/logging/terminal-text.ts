/** Characters that control a terminal, end a line, reorder text or are not seen. */
const UNSAFE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu
/**
 * Characters of {@link UNSAFE} that no letter, emoji or script needs: they control a terminal, reorder text or hide it.
 * The others join and separate letters, in Persian and Arabic among others.
 */
const UNSAFE_IN_PROSE = /[\p{Cc}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u206f\ufff9-\ufffb\u{e0000}-\u{e007f}]/gu
/** A text of these has none of them. */
const PLAIN = /^[\x20-\x7e]*$/
/** As {@link PLAIN}, with the characters that a text of lines keeps. */
const PLAIN_LINES = /^[\x20-\x7e\n\t]*$/

/** Escapes by units of UTF-16, as JSON does, so that JSON stays JSON. */
function escapeCharacter(found: string): string {
  let escaped = ''
  for (let index = 0; index < found.length; index += 1)
    escaped += `\\u${found.charCodeAt(index).toString(16).padStart(4, '0')}`
  return escaped
}

/** Writes unsafe characters of a foreign text as `\u001b`. The text stays one line; that of a string in JSON stays the same. */
export function escapeLine(text: string): string {
  return PLAIN.test(text) ? text : text.replace(UNSAFE, escapeCharacter)
}

/** As {@link escapeLine}, for a text of lines: line ends and tabs stay. */
export function escapeLines(text: string): string {
  return escapeExceptLines(text, UNSAFE)
}

/** As {@link escapeLines}, for a text that a model wrote for people: characters that only shape letters stay. */
export function escapeProse(text: string): string {
  return escapeExceptLines(text, UNSAFE_IN_PROSE)
}

function escapeExceptLines(text: string, unsafe: RegExp): string {
  if (PLAIN_LINES.test(text)) return text
  return text.replace(unsafe, (found) => (found === '\n' || found === '\t' ? found : escapeCharacter(found)))
}
