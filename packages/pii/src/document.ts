import { type JudgedDetection, type ScanDocument, withoutOperator } from './detector.ts'
import type { Span } from './span.ts'
import { findFirstEndingAfter } from './span.ts'
import { toWellFormed } from './well-formed.ts'

/** One text of a request. */
export interface RequestText {
  readonly text: string
  /** Whether the text is an id: personal numbers and names in an id are not findings. @default false */
  readonly isId?: boolean | undefined
}

/** The texts of a request, in its order. */
export interface RequestTexts {
  readonly segments: readonly RequestText[]
  /**
   * Runs of segments that are parts of one message: the index of the first and the index after the last. Patterns are
   * also looked for across their edges. @default none
   */
  readonly messages?: readonly Span[] | undefined
}

/** Separator of two segments; part of neither. */
const SEPARATOR = '\n\n'

/** The joined segments of a request, with a mapping back. */
export interface JoinedSegments {
  readonly document: ScanDocument
  /** The scanned text of every given segment: well-formed. */
  readonly texts: readonly string[]
  /** For each segment of the document its index in the input: empty ones are not in the document. */
  readonly indices: readonly number[]
}

/** Joins segments by blank lines. Lone halves of surrogate pairs are scanned as U+FFFD. */
export function joinSegments({ segments, messages = [] }: RequestTexts): JoinedSegments {
  const texts: string[] = []
  const indices: number[] = []
  // Number of document segments before each given one.
  const places: number[] = []
  const spans: Span[] = []
  let start = 0
  for (const segment of segments) {
    const text = toWellFormed(segment.text)
    places.push(indices.length)
    if (text !== '') {
      indices.push(texts.length)
      spans.push({ start, end: start + text.length })
    }
    texts.push(text)
    start += text.length + SEPARATOR.length
  }
  const runs: Span[] = []
  for (const message of messages) {
    const run = { start: places[message.start] ?? indices.length, end: places[message.end] ?? indices.length }
    if (run.end - run.start > 1) runs.push(run)
  }
  // Joining copies even a single text.
  const [text = ''] = texts
  const joined = texts.length > 1 ? texts.join(SEPARATOR) : text
  return { document: { text: joined, segments: spans, messages: runs }, texts, indices }
}

/**
 * Cuts detections at the edges of the document's segments. Returns the pieces of each segment, with offsets local to
 * it. Drops the parts on a separator.
 */
export function cutBySegment(
  detections: readonly JudgedDetection[],
  segments: readonly Span[],
): readonly (readonly JudgedDetection[])[] {
  const pieces: JudgedDetection[][] = segments.map(() => [])
  for (const detection of detections) {
    for (let index = findFirstEndingAfter(segments, detection.start); index < segments.length; index++) {
      const segment = segments[index]
      if (segment === undefined || segment.start >= detection.end) break
      const isWhole = detection.start >= segment.start && detection.end <= segment.end
      pieces[index]?.push({
        ...(isWhole ? detection : withoutOperator(detection)),
        start: Math.max(detection.start, segment.start) - segment.start,
        end: Math.min(detection.end, segment.end) - segment.start,
      })
    }
  }
  return pieces
}
