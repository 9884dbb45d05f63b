/**
 * Documents as text: extracted from files of several types, and cut into overlapping chunks. Knows no server, no model
 * and no store.
 *
 * @module
 */

export { CHUNK_LIMITS, type CutOptions, cutText, type TextChunk } from './cut/cut-text.ts'
export { estimateTokens } from './cut/estimate-tokens.ts'
export { DocumentError, type DocumentErrorCode } from './errors.ts'
export {
  type BinaryType,
  type DocumentHead,
  type DocumentType,
  findDocumentType,
  HEAD_BYTES,
} from './extract/document-type.ts'
export { type BinaryReader, type ExtractedText, type ExtractOptions, extractText } from './extract/extract-text.ts'
