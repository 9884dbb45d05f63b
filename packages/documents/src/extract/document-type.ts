import { DocumentError } from '../errors.ts'

/** A type of document that has a reader. */
export type DocumentType = 'html' | 'json' | 'markdown' | 'text'

/** Bytes that {@link findDocumentType} looks at. */
export const HEAD_BYTES = 4096

/** A type without a reader, by its first bytes. */
type Signature = readonly [start: string, noun: string]

/** Types whose first bytes no text has. */
const SIGNATURES: readonly Signature[] = [
  ['%PDF-', 'PDF files'],
  ['\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1', 'files of old Microsoft Office programs'],
  ['{\\rtf', 'RTF files'],
  ['\x89PNG\r\n', 'PNG images'],
  ['\xff\xd8\xff', 'JPEG images'],
  ['II*\0', 'TIFF images'],
  ['MM\0*', 'TIFF images'],
  ['\x1f\x8b', 'gzip archives'],
  ['\xfd7zXZ\0', 'xz archives'],
  ['7z\xbc\xaf\x27\x1c', '7z archives'],
  ['Rar!\x1a\x07', 'RAR archives'],
  ['\x7fELF', 'programs'],
  ['SQLite format 3\0', 'SQLite databases'],
]
/** Types whose first bytes a text may have too; what follows in them has a NUL. */
const WORDS: readonly Signature[] = [
  ['GIF8', 'GIF images'],
  ['RIFF', 'RIFF files (WAV, AVI, WebP)'],
  ['ID3', 'MP3 files'],
  ['OggS', 'Ogg files'],
  ['fLaC', 'FLAC files'],
  ['BZh', 'bzip2 archives'],
  ['GGUF', 'GGUF files'],
]
const ZIP = 'PK\x03\x04'
/** What is in a ZIP archive, by the end of its name. */
const ZIP_NOUNS: ReadonlyMap<string, string> = new Map([
  ['docx', 'Word documents (docx)'],
  ['xlsx', 'Excel workbooks (xlsx)'],
  ['pptx', 'PowerPoint presentations (pptx)'],
  ['odt', 'OpenDocument texts (odt)'],
  ['epub', 'EPUB books'],
])
const READERS: ReadonlyMap<string, DocumentType> = new Map([
  ['htm', 'html'],
  ['html', 'html'],
  ['xhtml', 'html'],
  ['json', 'json'],
  ['markdown', 'markdown'],
  ['md', 'markdown'],
  ['mdx', 'markdown'],
])
const HTML = /^(?:\s|<!--(?:(?!-->)[\s\S])*-->)*<(?:!doctype\s+html|html)\b/iu

/** The beginning and the name of a document. */
export interface DocumentHead {
  /** The first {@link HEAD_BYTES}, or more. */
  readonly head: Uint8Array
  /** The name of the file. Only its end is read. */
  readonly name: string
}

/**
 * Finds the type of a document: by its first bytes, then by the end of its name. Every other text, such as CSV or source
 * code, is `text`.
 *
 * @throws {DocumentError} `unsupported_document`, naming the type
 */
export function findDocumentType({ head, name }: DocumentHead): DocumentType {
  const start = Array.from(head.subarray(0, HEAD_BYTES), (byte) => String.fromCharCode(byte)).join('')
  const extension = /\.([a-z0-9]{1,10})$/iu.exec(name)?.[1]?.toLowerCase() ?? ''
  const noun = findUnsupported(start, extension)
  if (noun !== undefined) throw new DocumentError('unsupported_document', `${noun} cannot be read`)
  return READERS.get(extension) ?? (HTML.test(start) ? 'html' : 'text')
}

function findUnsupported(start: string, extension: string): string | undefined {
  if (start.startsWith(ZIP)) return ZIP_NOUNS.get(extension) ?? 'ZIP archives'
  const isBinary = start.includes('\0') && !hasWideMark(start)
  const known = [...SIGNATURES, ...(isBinary ? WORDS : [])].find(([signature]) => start.startsWith(signature))
  if (known !== undefined) return known[1]
  return isBinary ? 'binary files' : undefined
}

/** Whether a text begins with the byte order mark of UTF-16. */
function hasWideMark(start: string): boolean {
  return start.startsWith('\xff\xfe') || start.startsWith('\xfe\xff')
}
