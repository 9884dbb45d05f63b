import { DocumentError } from '../errors.ts'

const BINARY_NOUNS = {
  docx: 'Word documents (docx)',
  epub: 'EPUB books',
  opendocument: 'OpenDocument files (odt, ods, odp)',
  pdf: 'PDF files',
  pptx: 'PowerPoint presentations (pptx)',
  rtf: 'RTF files',
  xlsx: 'Excel workbooks (xlsx)',
} as const

/** A type of document that is not text. Its reader is `@svc/documents/binary`. */
export type BinaryType = keyof typeof BINARY_NOUNS

/** A type of document that has a reader. */
export type DocumentType = 'html' | 'json' | 'markdown' | 'text' | BinaryType

/** Whether a document needs a reader of binary types. */
export function isBinaryType(type: DocumentType): type is BinaryType {
  return Object.hasOwn(BINARY_NOUNS, type)
}

/** Bytes that {@link findDocumentType} looks at. */
export const HEAD_BYTES = 4096

/** A type without a reader, by its first bytes. */
type Signature = readonly [start: string, noun: string]

/** Types whose first bytes no text has. */
const SIGNATURES: readonly Signature[] = [
  ['\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1', 'files of old Microsoft Office programs, and encrypted ones of new programs,'],
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
const ZIP_TYPES: ReadonlyMap<string, BinaryType> = new Map([
  ...['docm', 'docx', 'dotm', 'dotx'].map((extension) => [extension, 'docx'] as const),
  ...['potx', 'ppsm', 'ppsx', 'pptm', 'pptx'].map((extension) => [extension, 'pptx'] as const),
  ...['xlsm', 'xlsx', 'xltm', 'xltx'].map((extension) => [extension, 'xlsx'] as const),
  ...['odp', 'ods', 'odt', 'otp', 'ots', 'ott'].map((extension) => [extension, 'opendocument'] as const),
  ['epub', 'epub'],
])
/** What is in a ZIP archive, by the names of its first parts. */
const ZIP_MARKS: readonly (readonly [mark: string, type: BinaryType])[] = [
  ['mimetypeapplication/epub+zip', 'epub'],
  ['mimetypeapplication/vnd.oasis.opendocument.', 'opendocument'],
  ['word/', 'docx'],
  ['ppt/', 'pptx'],
  ['xl/', 'xlsx'],
]
/** Some PDF files have other bytes before their mark. */
const PDF_MARK_WITHIN = 1024
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
 * @param options `hasBinary`: whether binary types have a reader; they are refused without. @default true
 * @throws {DocumentError} `unsupported_document`, naming the type
 */
export function findDocumentType(
  { head, name }: DocumentHead,
  { hasBinary = true }: { readonly hasBinary?: boolean } = {},
): DocumentType {
  const start = Array.from(head.subarray(0, HEAD_BYTES), (byte) => String.fromCharCode(byte)).join('')
  const extension = /\.([a-z0-9]{1,10})$/iu.exec(name)?.[1]?.toLowerCase() ?? ''
  const binary = findBinary(start, extension)
  if (binary !== undefined && hasBinary) return binary
  const noun = binary === undefined ? findUnsupported(start) : BINARY_NOUNS[binary]
  if (noun !== undefined) throw new DocumentError('unsupported_document', `${noun} cannot be read`)
  return READERS.get(extension) ?? (HTML.test(start) ? 'html' : 'text')
}

function findBinary(start: string, extension: string): BinaryType | undefined {
  if (start.startsWith('{\\rtf')) return 'rtf'
  if (start.startsWith(ZIP)) return ZIP_TYPES.get(extension) ?? ZIP_MARKS.find(([mark]) => start.includes(mark))?.[1]
  const pdfMark = start.slice(0, PDF_MARK_WITHIN).indexOf('%PDF-')
  return pdfMark === 0 || (pdfMark > 0 && extension === 'pdf') ? 'pdf' : undefined
}

function findUnsupported(start: string): string | undefined {
  if (start.startsWith(ZIP)) return 'ZIP archives'
  const isBinary = start.includes('\0') && !hasWideMark(start)
  const known = [...SIGNATURES, ...(isBinary ? WORDS : [])].find(([signature]) => start.startsWith(signature))
  if (known !== undefined) return known[1]
  return isBinary ? 'binary files' : undefined
}

/** Whether a text begins with the byte order mark of UTF-16. */
function hasWideMark(start: string): boolean {
  return start.startsWith('\xff\xfe') || start.startsWith('\xfe\xff')
}
