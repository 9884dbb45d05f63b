import type { EmbeddingResult } from '../gen/backend.ts'
import { MessageReader } from './message-reader.ts'

/**
 * Reads an `EmbeddingResult`.
 *
 * @throws an error for bytes that are not a message
 */
export function decodeEmbeddingResult(bytes: Buffer): EmbeddingResult {
  const reader = new MessageReader(bytes)
  const result: EmbeddingResult = { embeddings: [], tokens: 0, dim: 0, promptTokens: 0, layout: 0 }
  for (let tag = reader.tag(); tag !== 0; tag = reader.tag()) {
    if (tag === 10) reader.packedFloats(result.embeddings)
    else if (tag === 13) result.embeddings.push(reader.float())
    else if (tag === 16) result.tokens = reader.int32()
    else if (tag === 24) result.dim = reader.int32()
    else if (tag === 32) result.promptTokens = reader.int32()
    // An enum of proto3 is open: a number of a later release is kept.
    else if (tag === 40) result.layout = reader.int32() as EmbeddingResult['layout']
    else reader.skip(tag)
  }
  return result
}
