/**
 * Characters that can forge a line or control a terminal: controls, line and paragraph separators, marks that reorder
 * text.
 */
const UNSAFE = /[\p{Cc}\u2028\u2029\p{Bidi_Control}]/gu
/** An absolute path without its last segment. */
const FOLDERS = /(^|[\s'"`(=:,[])(?:file:\/\/)?\/(?:[^\s'"`:,;()[\]/]{1,255}\/){1,64}(?=[^\s'"`:,;()[\]/])/g
const MAX_REASON_CHARS = 300

/**
 * Writes control characters except the tab as `\x1b` or `\u202e`, so that text stays one line and controls no terminal.
 */
export function escapeControls(text: string): string {
  return text.replace(UNSAFE, (char) => {
    if (char === '\t') return char
    const hex = char.charCodeAt(0).toString(16)
    return hex.length <= 2 ? `\\x${hex.padStart(2, '0')}` : `\\u${hex.padStart(4, '0')}`
  })
}

/** Cuts a text to at most `maxBytes` UTF-8 bytes, between two characters. */
export function cutToBytes(text: string, maxBytes: number): string {
  const bytes = Buffer.from(text)
  if (bytes.length <= maxBytes) return text
  let end = maxBytes
  while (end > 0 && ((bytes[end] ?? 0) & 0xc0) === 0x80) end--
  return bytes.toString('utf8', 0, end)
}

/**
 * Converts a backend's message for a client's error: one line, at most 300 characters, and only the last segment of
 * absolute paths.
 */
export function toPublicReason(text: string): string {
  const start = text.trimStart().slice(0, 4 * MAX_REASON_CHARS)
  const line = escapeControls(start.replace(/[\t\n\r ]+/g, ' ').trimEnd()).replace(FOLDERS, '$1')
  return line.length <= MAX_REASON_CHARS ? line : `${line.slice(0, MAX_REASON_CHARS - 1)}…`
}
