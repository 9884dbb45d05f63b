import { runInSlices, type SliceOptions } from '@svc/json'
import type { Detector, JudgedDetection, ScanDocument } from '../detector.ts'
import { cutBySegment, joinSegments } from '../document.ts'
import { PiiError } from '../errors.ts'
import { adjacentParts } from '../pattern/adjacent-parts.ts'
import type { Span } from '../span.ts'
import { readBase64 } from './base64.ts'
import { findEncodedRuns } from './encoded-runs.ts'
import { ENCODINGS, type Encoding, isEncoding } from './encodings.ts'
import { readEscapes } from './escapes.ts'
import { readHex } from './hex.ts'
import type { Reading, Steps } from './reading.ts'
import { readReversed } from './reversed.ts'

/** What a detector that reads encodings is made of. */
export interface EncodedDetectorOptions {
  /** What looks at the text, and at what stands in it encoded. */
  readonly detector: Detector
  /** What is read. */
  readonly encodings: readonly Encoding[]
  /** How long reading may hold the event loop. @default 5 ms */
  readonly slices?: Omit<SliceOptions, 'signal'> | undefined
}

/** Readings that are looked at together hold about so many characters at most, or are a single one. */
const BATCH_CHARACTERS = 1 << 20

/** A reading of a document: what is found in it may be none of the document's own. */
interface DocumentReading {
  readonly text: string
  toDocument(range: Span): Span | undefined
}

/**
 * A detector that also looks at what stands in a text as base64, hex, percent-encoding, character references of HTML, or
 * from its end to its start. One layer is read, and no two together.
 *
 * Of base64 and hex the runs of at least 24 characters are read, over the ends of lines too, and where something is found
 * the whole run is reported. Of escapes and of reversed text it is what was read as the thing that was found.
 *
 * @throws SvcError `pii_config`, kind `invalid_request`, for an encoding that is none of {@link ENCODINGS}
 */
export function createEncodedDetector({ detector, encodings, slices }: EncodedDetectorOptions): Detector {
  const wanted = new Set(encodings)
  const unknown = encodings.find((name) => !isEncoding(name))
  if (unknown !== undefined) {
    const message = `encodings: ${JSON.stringify(unknown)} is none of ${ENCODINGS.join(', ')}`
    throw new PiiError('invalid_request', message, { code: 'pii_config' })
  }

  /** The next readings; none once there are no more. */
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

  return {
    name: detector.name,
    async detect(document, { signal }) {
      const found = [...(await detector.detect(document, { signal }))]
      const readings = readDocument(document, wanted)
      for (;;) {
        const batch = await nextBatch(readings, signal)
        if (batch.length === 0) return found
        const joined = joinSegments({ segments: batch })
        const detections = await detector.detect(joined.document, { signal })
        for (const [place, pieces] of cutBySegment(detections, joined.document.segments).entries()) {
          const reading = batch[joined.indices[place] ?? place]
          found.push(...pieces.flatMap((piece) => inDocument(piece, reading)))
        }
      }
    },
  }
}

function inDocument(detection: JudgedDetection, reading: DocumentReading | undefined): JudgedDetection[] {
  const span = reading?.toDocument(detection)
  return span === undefined ? [] : [{ ...detection, ...span }]
}

/** What stands encoded in a segment, or in the parts of one message when they are joined. */
function* readDocument(document: ScanDocument, encodings: ReadonlySet<Encoding>): Steps<DocumentReading> {
  for (const { start, end } of document.segments) {
    for (const reading of readText(document.text.slice(start, end), encodings)) {
      yield reading && { text: reading.text, toDocument: (range) => shift(reading.toSource(range), start) }
    }
  }
  for (const { text, toDocument } of adjacentParts(document)) {
    for (const reading of readText(text, encodings)) {
      yield reading && { text: reading.text, toDocument: (range) => toDocument(reading.toSource(range)) }
    }
  }
}

function shift({ start, end }: Span, by: number): Span {
  return { start: start + by, end: end + by }
}

function* readText(text: string, encodings: ReadonlySet<Encoding>): Steps<Reading> {
  if (encodings.has('base64') || encodings.has('hex')) {
    for (const run of findEncodedRuns(text)) {
      if (run === undefined) {
        yield undefined
        continue
      }
      if (encodings.has('base64')) yield* readRun(run, readBase64(run.symbols))
      if (encodings.has('hex')) yield* readRun(run, readHex(run.symbols))
    }
  }
  yield* readEscapes(text, encodings)
  if (encodings.has('reversed')) yield* readReversed(text)
}

/** The texts of a run have no places of their own: what is found in one is found in the whole run. */
function* readRun({ start, end }: Span, texts: Steps<string>): Steps<Reading> {
  const toSource = (): Span => ({ start, end })
  for (const text of texts) yield text === undefined ? undefined : { text, toSource }
}
