import type { TokenizationResponse } from '../gen/backend.ts'
import { MessageReader } from './message-reader.ts'

/**
 * Reads a `TokenizationResponse`.
 *
 * @throws an error for bytes that are not a message
 */
export function decodeTokenizationResponse(bytes: Buffer): TokenizationResponse {
  const reader = new MessageReader(bytes)
  const response: TokenizationResponse = { length: 0, tokens: [] }
  for (let tag = reader.tag(); tag !== 0; tag = reader.tag()) {
    if (tag === 8) response.length = reader.int32()
    else if (tag === 18) reader.packedInt32s(response.tokens)
    else if (tag === 16) response.tokens.push(reader.int32())
    else reader.skip(tag)
  }
  return response
}
