import { DocumentError } from '../errors.ts'
import type { BinaryType } from '../extract/document-type.ts'
import type { BinaryReader } from '../extract/extract-text.ts'
import { readDocx } from './read-docx.ts'
import { readEpub } from './read-epub.ts'
import { readOpenDocument } from './read-opendocument.ts'
import { readPdf } from './read-pdf.ts'
import { readPptx } from './read-pptx.ts'
import { readRtf } from './read-rtf.ts'
import { readXlsx } from './read-xlsx.ts'

const READERS: Readonly<Record<BinaryType, (bytes: Uint8Array, signal: AbortSignal) => Promise<string>>> = {
  docx: readDocx,
  epub: readEpub,
  opendocument: readOpenDocument,
  pdf: readPdf,
  pptx: readPptx,
  rtf: readRtf,
  xlsx: readXlsx,
}
const HAS_TEXT = /[^\s|#-]/u
const NOT_IN_TEXT = /\p{Surrogate}|\0/gu

/**
 * Reads a document of a binary type. Damaged and hostile documents can take much memory and time that no bound holds:
 * programs that read those of others do it in a process of its own.
 *
 * @throws {DocumentError} `invalid_document`, `document_limit`
 */
export const readBinary: BinaryReader = async (bytes, { type, signal }) => {
  signal.throwIfAborted()
  const text = await READERS[type](bytes, signal)
  // Tables without text leave their lines.
  if (!HAS_TEXT.test(text)) throw new DocumentError('invalid_document', 'the document has no text')
  return text.replaceAll(NOT_IN_TEXT, '\ufffd')
}
