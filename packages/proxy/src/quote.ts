/** The longest quotation of an upstream's words inside a message of ours, in bytes of UTF-8. */
export const MAX_QUOTE_BYTES = 500

const LINE_BREAKS_AND_CONTROLS = /[\p{Cc}\u2028\u2029]+/gu

/**
 * Quotes an upstream in a message of ours: at most {@link MAX_QUOTE_BYTES} bytes of valid UTF-8 on one line, with
 * secrets such as the upstream's key redacted.
 */
export function quoteUpstream(said: string | Uint8Array, secrets: readonly string[] = []): string {
  const text = typeof said === 'string' ? said : new TextDecoder().decode(said.subarray(0, 64 * 1024))
  const line = redact(text, secrets).replace(LINE_BREAKS_AND_CONTROLS, ' ').trim()
  return cutToBytes(line, MAX_QUOTE_BYTES)
}

/** A text without the secrets. */
export function redact(text: string, secrets: readonly string[]): string {
  return secrets.reduce((rest, secret) => (secret === '' ? rest : rest.replaceAll(secret, '[key]')), text)
}

/** The longest beginning of a text that fits, in whole characters. */
function cutToBytes(text: string, limit: number): string {
  const bytes = new Uint8Array(limit)
  const { read } = new TextEncoder().encodeInto(text, bytes)
  // Half of a surrogate pair has no UTF-8: the encoder writes U+FFFD.
  return new TextDecoder().decode(new TextEncoder().encode(text.slice(0, read)))
}
