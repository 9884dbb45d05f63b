import { getDocument, VerbosityLevel } from 'unpdf/pdfjs'
import { DocumentError } from '../errors.ts'
import { createTextPieces } from '../extract/text-pieces.ts'
import { BINARY_LIMITS } from './limits.ts'
import { withinTime } from './within-time.ts'

/** A run of letters on a page. */
interface Run {
  readonly str: string
  readonly hasEOL: boolean
  readonly height: number
  readonly transform: readonly number[]
}

type Pdf = Awaited<ReturnType<typeof getDocument>['promise']>

/** Lines that are further apart than this, in heights of their letters, are paragraphs. */
const PARAGRAPH_GAP = 1.7
const CONTROLS = /[^\P{Cc}\n\t]/gu

/** A document that the library reads. */
interface PdfTask {
  readonly promise: Promise<Pdf>
  destroy(): Promise<void>
}

/** Options of {@link readPdf}. Times are milliseconds. */
interface PdfOptions {
  readonly maxMs: number
  /** For the library to let go of a document. */
  readonly destroyMs: number
  readonly open: (bytes: Uint8Array) => PdfTask
}

const USUAL: PdfOptions = { maxMs: BINARY_LIMITS.pdfMs, destroyMs: 1000, open: openPdf }

/**
 * Reads the text of a PDF, page by page. The library may never settle for a damaged one: it is given up after a time.
 *
 * @throws {DocumentError} `invalid_document` for a damaged or encrypted one, and for one without text; `document_limit`;
 *   the reason of the signal
 */
export async function readPdf(
  bytes: Uint8Array,
  signal: AbortSignal,
  { maxMs, destroyMs, open }: PdfOptions = USUAL,
): Promise<string> {
  const task = open(bytes)
  try {
    const reading = task.promise.then((pdf) => readPages(pdf, signal))
    const text = await withinTime(reading, { maxMs, signal })
    if (text !== '') return text
  } catch (error) {
    signal.throwIfAborted()
    throw toRefusal(error)
  } finally {
    await withinTime(task.destroy(), { maxMs: destroyMs, signal }).catch(() => undefined)
  }
  throw new DocumentError('invalid_document', 'the PDF has no text: its pages may be pictures, such as scans')
}

function openPdf(bytes: Uint8Array): PdfTask {
  return getDocument({
    // The reader takes the bytes away from their owner, and refuses those of a Buffer.
    data: new Uint8Array(bytes),
    isEvalSupported: false,
    useSystemFonts: false,
    disableFontFace: true,
    useWorkerFetch: false,
    verbosity: VerbosityLevel.ERRORS,
  })
}

async function readPages(pdf: Pdf, signal: AbortSignal): Promise<string> {
  if (pdf.numPages > BINARY_LIMITS.pages) {
    throw new DocumentError('document_limit', `the PDF has over ${BINARY_LIMITS.pages} pages`)
  }
  const pieces = createTextPieces(BINARY_LIMITS.characters)
  for (let number = 1; number <= pdf.numPages; number += 1) {
    signal.throwIfAborted()
    const page = await pdf.getPage(number)
    const { items } = await page.getTextContent()
    const text = joinRuns(items.filter((item) => 'str' in item))
    if (text !== '') pieces.add(pieces.isEmpty ? text : `\n\n${text}`)
    page.cleanup()
  }
  return pieces.join()
}

function joinRuns(runs: readonly Run[]): string {
  const pieces: string[] = []
  let line: { readonly y: number; readonly height: number } | undefined
  let isLineEnd = false
  for (const { str, hasEOL, height, transform } of runs) {
    const y = Number(transform[5] ?? 0)
    if (isLineEnd && str !== '') {
      const gap = line === undefined ? 0 : Math.abs(line.y - y)
      pieces.push(line !== undefined && gap > line.height * PARAGRAPH_GAP ? '\n\n' : '\n')
      isLineEnd = false
    }
    pieces.push(str)
    if (str !== '' && height > 0) line = { y, height }
    if (hasEOL) isLineEnd = true
  }
  return pieces.join('').replaceAll(CONTROLS, ' ').trim()
}

function toRefusal(error: unknown): unknown {
  if (error instanceof DocumentError) return error
  const name = error instanceof Error ? error.name : ''
  if (name === 'PasswordException') return new DocumentError('invalid_document', 'the PDF is encrypted with a password')
  return new DocumentError('invalid_document', 'the PDF is damaged', { cause: error })
}
