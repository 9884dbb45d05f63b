/** Maximum size of a payload, bytes. */
export const MAX_PAYLOAD = 1024 * 1024

const NOTHING = new Uint8Array()
const encoder = new TextEncoder()
const decoder = new TextDecoder('utf-8', { fatal: true })

/** A payload as JSON; undefined when it is too long. Undefined becomes an empty payload. */
export function encodePayload(payload: unknown): Uint8Array | undefined {
  if (payload === undefined) return NOTHING
  const text = JSON.stringify(payload)
  // No text is longer in UTF-8 than three bytes a character.
  if (text.length > MAX_PAYLOAD) return undefined
  const bytes = encoder.encode(text)
  return bytes.length > MAX_PAYLOAD ? undefined : bytes
}

/** The value of a payload; an empty one is undefined. @throws {Error} when it is too long or no JSON */
export function decodePayload(bytes: Uint8Array): unknown {
  if (bytes.length > MAX_PAYLOAD) throw new Error(`a message of ${bytes.length} bytes is too long`)
  if (bytes.length === 0) return undefined
  return JSON.parse(decoder.decode(bytes))
}
