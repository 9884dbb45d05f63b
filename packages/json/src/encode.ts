import { checkArgument } from '@svc/errors'

const LONE_SURROGATES = /\p{Surrogate}/gu

const encoder = new TextEncoder()

/**
 * A JSON string token for a text: UTF-8 bytes with the quotes. Halves of surrogate pairs, which UTF-8 cannot
 * hold, become U+FFFD.
 */
export function encodeJsonString(text: string): Uint8Array {
  checkArgument(typeof text === 'string', 'encodeJsonString: text', 'a text', text)
  return encoder.encode(JSON.stringify(text.replace(LONE_SURROGATES, '\ufffd')))
}
