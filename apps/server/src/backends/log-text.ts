/** What can forge a line or drive a terminal: controls, line and paragraph separators, marks that reorder text. */
const UNSAFE = /[\p{Cc}\u2028\u2029\p{Bidi_Control}]/gu
/** An absolute path up to its last segment, which stays. */
const FOLDERS = /(^|[\s'"`(=:,[])(?:file:\/\/)?\/(?:[^\s'"`:,;()[\]/]{1,255}\/){1,64}(?=[^\s'"`:,;()[\]/])/g
const MAX_REASON_CHARS = 300

/** Writes control characters but the tab as `\x1b` or `\u202e`, so that a line stays one line and drives no terminal. */
export function escapeControls(text: string): string {
  return text.replace(UNSAFE, (char) => {
    if (char === '\t') return char
    const hex = char.charCodeAt(0).toString(16)
    return hex.length <= 2 ? `\\x${hex.padStart(2, '0')}` : `\\u${hex.padStart(4, '0')}`
  })
}

/** The longest beginning of at most `maxBytes` UTF-8 bytes that ends between two characters. */
export function cutToBytes(text: string, maxBytes: number): string {
  const bytes = Buffer.from(text)
  if (bytes.length <= maxBytes) return text
  let end = maxBytes
  while (end > 0 && ((bytes[end] ?? 0) & 0xc0) === 0x80) end--
  return bytes.toString('utf8', 0, end)
}

/**
 * What a backend said, fit for an error message that reaches a client: one line, at most 300 characters, and of an
 * absolute path only the last segment.
 */
export function toPublicReason(text: string): string {
  const start = text.trimStart().slice(0, 4 * MAX_REASON_CHARS)
  const line = escapeControls(start.replace(/[\t\n\r ]+/g, ' ').trimEnd()).replace(FOLDERS, '$1')
  return line.length <= MAX_REASON_CHARS ? line : `${line.slice(0, MAX_REASON_CHARS - 1)}…`
}
