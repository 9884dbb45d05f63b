/**
 * Readers of documents that are not text: PDF, Office Open XML, OpenDocument, EPUB and RTF.
 *
 * @module
 */

export { BINARY_LIMITS } from './binary/limits.ts'
export { readBinary } from './binary/read-binary.ts'
