import { DocumentError } from '../errors.ts'
import { decodeText } from './decode-text.ts'
import { type BinaryType, type DocumentType, findDocumentType, isBinaryType } from './document-type.ts'

/** The text of a document. */
export interface ExtractedText {
  readonly type: DocumentType
  /** Never holds a NUL character or half of a surrogate pair. */
  readonly text: string
}

/**
 * Reads the text of a document of a binary type.
 *
 * @throws {DocumentError} `invalid_document`, `document_limit`
 */
export type BinaryReader = (
  bytes: Uint8Array,
  options: { readonly type: BinaryType; readonly signal: AbortSignal },
) => Promise<string>

/** Options of {@link extractText}. */
export interface ExtractOptions {
  /** The name of the file. */
  readonly name: string
  /** Largest document, bytes. @default 64 MiB */
  readonly maxBytes?: number | undefined
  /** Reads PDF files, office documents and books. @default they are refused */
  readonly readBinary?: BinaryReader | undefined
  /** Ends the work; its reason is thrown. */
  readonly signal: AbortSignal
}

const MAX_BYTES = 64 * 1024 * 1024

/**
 * Reads the text of a document: plain text, source code, CSV and Markdown as they are, HTML without tags, JSON as
 * readable lines, and binary types by their reader. Other work gets its turn every few milliseconds.
 *
 * @throws {DocumentError} `unsupported_document`, `invalid_document`, `document_limit`
 */
export async function extractText(
  bytes: Uint8Array,
  { name, maxBytes = MAX_BYTES, readBinary, signal }: ExtractOptions,
): Promise<ExtractedText> {
  signal.throwIfAborted()
  if (bytes.length > maxBytes) {
    throw new DocumentError('document_limit', `the document has ${bytes.length} bytes, more than ${maxBytes}`)
  }
  const type = findDocumentType({ head: bytes, name }, { hasBinary: readBinary !== undefined })
  if (readBinary !== undefined && isBinaryType(type)) return { type, text: await readBinary(bytes, { type, signal }) }
  const text = await decodeText(bytes, signal)
  if (type === 'html') return { type, text: await (await import('./read-html.ts')).readHtml(text, signal) }
  if (type === 'json') return { type, text: await (await import('./read-json.ts')).readJson(text, signal) }
  return { type, text }
}
