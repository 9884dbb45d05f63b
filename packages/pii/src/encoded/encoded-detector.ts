import { runInSlices, type SliceOptions } from '@svc/json'
import type { DetectOptions, Detector, JudgedDetection, ScanDocument } from '../detector.ts'
import { cutBySegment, joinSegments } from '../document.ts'
import { PiiError } from '../errors.ts'
import { joinAdjacentParts } from '../pattern/adjacent-parts.ts'
import type { Span } from '../span.ts'
import { readBase64 } from './base64.ts'
import { DocumentReversal } from './document-reversal.ts'
import { findEncodedRuns } from './encoded-runs.ts'
import { ENCODINGS, type Encoding, isEncoding } from './encodings.ts'
import { mayHaveEscapes, readEscapes } from './escapes.ts'
import { readHex } from './hex.ts'
import type { Reading, Steps } from './reading.ts'
import { findSeparatedHex } from './separated-hex.ts'

/** Options of {@link createEncodedDetector}. */
export interface EncodedDetectorOptions {
  /** Scans the text, and the decoded texts. */
  readonly detector: Detector
  /** Encodings to read. */
  readonly encodings: readonly Encoding[]
  /** Bounds the time that reading holds the event loop. @default 5 ms */
  readonly slices?: Omit<SliceOptions, 'signal'> | undefined
}

/** Approximate size of a batch of readings in characters; a single longer reading is a batch of its own. */
const BATCH_CHARACTERS = 1 << 20

/** A reading of a document: findings in it may lie outside of the document's own text. */
interface DocumentReading {
  readonly text: string
  toDocument(range: Span): Span | undefined
}

/**
 * Creates a detector that also scans decoded text: base64, hex, percent-encoding, character references of HTML, and
 * reversed text. It decodes one layer, and never two together.
 *
 * Of base64 and hex it reads runs of at least 24 characters, over line breaks at any length, with marks of quotation;
 * hex pairs may also be separated by a colon, a hyphen or a blank. A finding in such a run covers the whole run. For
 * escapes and reversed text a finding covers the original of the found text.
 *
 * @throws SvcError `pii_config`, kind `invalid_request`, for an encoding outside of {@link ENCODINGS}
 */
export function createEncodedDetector({ detector, encodings, slices }: EncodedDetectorOptions): Detector {
  const wanted = new Set(encodings)
  const unknown = encodings.find((name) => !isEncoding(name))
  if (unknown !== undefined) {
    const message = `encodings: ${JSON.stringify(unknown)} is none of ${ENCODINGS.join(', ')}`
    throw new PiiError('invalid_request', message, { code: 'pii_config' })
  }

  /** The next readings; empty at the end. */
  async function nextBatch(readings: Steps<DocumentReading>, signal: AbortSignal): Promise<DocumentReading[]> {
    const batch: DocumentReading[] = []
    let size = 0
    const isFull = (): boolean => {
      const { done, value } = readings.next()
      if (value === undefined) return done === true
      batch.push(value)
      size += value.text.length
      return size >= BATCH_CHARACTERS
    }
    await runInSlices(isFull, { ...slices, signal })
    return batch
  }

  async function detectReadings(document: ScanDocument, found: DetectionList, options: DetectOptions): Promise<void> {
    const readings = readDocument(document, wanted)
    for (;;) {
      const batch = await nextBatch(readings, options.signal)
      if (batch.length === 0) return
      const joined = joinSegments({ segments: batch })
      const detections = await detector.detect(joined.document, options)
      for (const [place, pieces] of cutBySegment(detections, joined.document.segments).entries()) {
        const reading = batch[joined.indices[place] ?? place]
        for (const piece of pieces) found.add(piece, reading?.toDocument(piece))
      }
    }
  }

  async function detectReversed(document: ScanDocument, found: DetectionList, options: DetectOptions): Promise<void> {
    const reversal = new DocumentReversal(document)
    await runInSlices(() => reversal.advance(), { ...slices, signal: options.signal })
    const detections = await detector.detect(reversal.document(), options)
    for (const detection of detections) found.add(detection, reversal.toDocument(detection))
  }

  return {
    name: detector.name,
    async detect(document, options) {
      const found = new DetectionList(await detector.detect(document, options))
      await detectReadings(document, found, options)
      if (wanted.has('reversed')) await detectReversed(document, found, options)
      return found.detections
    },
  }
}

/** Detections of a document. Repeated equal findings in one run count once. */
class DetectionList {
  readonly detections: JudgedDetection[]

  constructor(detections: readonly JudgedDetection[]) {
    this.detections = [...detections]
  }

  add(detection: JudgedDetection, span: Span | undefined): void {
    if (span === undefined) return
    const { start, end } = span
    const last = this.detections.at(-1)
    const isSame = last?.start === start && last.end === end && last.group === detection.group
    if (!isSame || last.action !== detection.action) this.detections.push({ ...detection, start, end })
  }
}

/** Decodes the texts in a document, and in the joined parts of its messages. */
function* readDocument(document: ScanDocument, encodings: ReadonlySet<Encoding>): Steps<DocumentReading> {
  for (const reading of readText(document, encodings)) {
    yield reading && { text: reading.text, toDocument: (range) => reading.toSource(range) }
  }
  for (const { text, toDocument } of joinAdjacentParts(document)) {
    for (const reading of readText({ text, segments: [{ start: 0, end: text.length }] }, encodings)) {
      yield reading && { text: reading.text, toDocument: (range) => toDocument(reading.toSource(range)) }
    }
  }
}

function* readText(
  { text, segments }: Pick<ScanDocument, 'text' | 'segments'>,
  encodings: ReadonlySet<Encoding>,
): Steps<Reading> {
  if (encodings.has('base64') || encodings.has('hex')) yield* readRuns(text, encodings)
  if (!mayHaveEscapes(text, encodings)) return
  for (const { start, end } of segments) {
    const segment = text.slice(start, end)
    if (!mayHaveEscapes(segment, encodings)) continue
    for (const reading of readEscapes(segment, encodings)) {
      yield reading && { text: reading.text, toSource: (range) => shift(reading.toSource(range), start) }
    }
  }
}

function shift({ start, end }: Span, by: number): Span {
  return { start: start + by, end: end + by }
}

/** The texts of base64 and hex. No run crosses a blank line, so none crosses the edge of a segment. */
function* readRuns(text: string, encodings: ReadonlySet<Encoding>): Steps<Reading> {
  for (const run of findEncodedRuns(text)) {
    if (run === undefined) {
      yield undefined
      continue
    }
    if (encodings.has('base64')) yield* readRun(run, readBase64(run.symbols))
    if (encodings.has('hex')) yield* readRun(run, readHex(run.symbols))
  }
  if (!encodings.has('hex')) return
  for (const run of findSeparatedHex(text)) yield* run === undefined ? [undefined] : readRun(run, readHex(run.symbols))
}

/** The texts of a run have no ranges of their own: a finding in one is a finding of the whole run. */
function* readRun({ start, end }: Span, texts: Steps<string>): Steps<Reading> {
  const toSource = (): Span => ({ start, end })
  for (const text of texts) yield text === undefined ? undefined : { text, toSource }
}
