import { checkArgument } from '@svc/errors'
import type { Detector, JudgedDetection } from './detector.ts'
import { cutBySegment, type JoinedSegments, joinSegments, type RequestTexts } from './document.ts'
import { countsInId } from './id-findings.ts'
import type { Clock, StopSignal } from './ports.ts'
import { FIXED_MASKS, type MaskWriter, maskText } from './redact.ts'
import { resolveOverlaps } from './resolve-overlaps.ts'
import { createTokenMap } from './reversible/token-map.ts'
import { runDetectors, throwIfAborted } from './run-detectors.ts'

/** Options of filtering a request. */
export interface FilterOptions {
  /** All of them run in parallel, each over the whole document. Empty: nothing is scanned or changed. */
  readonly detectors: readonly Detector[]
  /** @default the fixed text, `[REDACTED:ner:EMAIL]` */
  readonly masks?: MaskWriter | undefined
  /**
   * Milliseconds for each detector and document, or for each step of a detector that tells its steps, as a recogniser
   * does after each chunk of a text. @default 10000
   */
  readonly detectorTimeoutMs?: number | undefined
  readonly clock?: Clock | undefined
  /** Ends the call with the signal's reason. */
  readonly signal?: StopSignal | undefined
  /** The request of the texts. Detectors receive it. */
  readonly correlationId?: string | undefined
}

/** The findings in one segment and its new text. */
export interface FilteredSegment {
  /** The scanned text of the segment: lone halves of surrogate pairs are U+FFFD. */
  readonly scanned: string
  /** Ascending, without overlaps; offsets are local to `scanned`. Includes allowed ones. */
  readonly spans: readonly JudgedDetection[]
  /** The text to forward, if it differs from the given one. Never set when the request is blocked. */
  readonly rewritten?: string | undefined
}

/** Outcome of filtering a request. */
export interface FilterOutcome {
  /** Whether the request must be refused: then nothing of it may be forwarded. */
  readonly blocked: boolean
  /** Whether any finding was masked; false when blocked. */
  readonly masked: boolean
  /** One for each given segment, in the same order. */
  readonly segments: readonly FilteredSegment[]
}

/**
 * Scans the texts of a request as one document and applies the policies (§6.3).
 *
 * @throws SvcError `pii_ner_unavailable`, kind `unavailable`, when any detector fails, takes too long or reports an
 *   impossible span: the request must not be forwarded
 * @example
 * const { blocked, segments } = await filterSegments({ segments: [{ text: 'I am Ada' }] }, { detectors: [names] })
 */
export async function filterSegments(texts: RequestTexts, options: FilterOptions): Promise<FilterOutcome> {
  return await startFilter(texts, options)
}

/**
 * {@link filterSegments} without a promise when every detector answers synchronously, as patterns do in short texts.
 *
 * @throws the errors of {@link filterSegments}, at once or later
 */
export function startFilter(
  texts: RequestTexts,
  { detectors, masks: given, ...limits }: FilterOptions,
): FilterOutcome | Promise<FilterOutcome> {
  throwIfAborted(limits.signal)
  const { segments } = texts
  checkTexts(segments)
  checkDetectors(detectors)
  const joined = joinSegments(texts)
  if (detectors.length === 0 || joined.indices.length === 0) return untouched(segments)
  const masks = given ?? createRequestMasks(joined.texts)
  const found = runDetectors(joined.document, detectors, limits)
  return found instanceof Promise
    ? found.then((detections) => toOutcome(segments, joined, detections, masks))
    : toOutcome(segments, joined, found, masks)
}

/** Writes fixed masks, and invents values that no other value of the request has. */
function createRequestMasks(texts: readonly string[]): MaskWriter {
  let fakes: MaskWriter | undefined
  return {
    mask(span, value) {
      if (span.writeFake === undefined) return FIXED_MASKS.mask(span, value)
      fakes ??= createTokenMap({ texts })
      return fakes.mask(span, value)
    },
  }
}

function checkTexts(segments: RequestTexts['segments']): void {
  checkArgument(Array.isArray(segments), 'filterSegments: segments', 'an array', segments)
  for (const { text } of segments) checkArgument(typeof text === 'string', 'filterSegments: text', 'a text', text)
}

function checkDetectors(detectors: readonly Detector[]): void {
  checkArgument(Array.isArray(detectors), 'filterSegments: detectors', 'an array', detectors)
  for (const detector of detectors) {
    const isDetector = typeof detector?.name === 'string' && typeof detector.detect === 'function'
    checkArgument(isDetector, 'filterSegments: detectors[]', 'a detector with `name` and `detect`', detector)
  }
}

function toOutcome(
  segments: RequestTexts['segments'],
  joined: JoinedSegments,
  detections: readonly JudgedDetection[],
  masks: MaskWriter,
): FilterOutcome {
  if (detections.length === 0)
    return { blocked: false, masked: false, segments: withoutFindings(segments, joined.texts) }
  const found = new Map<number, readonly JudgedDetection[]>()
  for (const [place, pieces] of cutBySegment(detections, joined.document.segments).entries()) {
    const index = joined.indices[place]
    if (index === undefined) continue
    const counted = segments[index]?.isId === true ? pieces.filter(countsInId) : pieces
    found.set(index, resolveOverlaps(counted))
  }
  const all = segments.map(({ text }, index): FoundInSegment => {
    return { given: text, scanned: joined.texts[index] ?? text, spans: found.get(index) ?? [] }
  })
  const has = (action: string) => all.some(({ spans }) => spans.some((span) => span.action === action))
  if (has('block')) {
    return { blocked: true, masked: false, segments: all.map(({ scanned, spans }) => ({ scanned, spans })) }
  }
  return { blocked: false, masked: has('mask'), segments: all.map((segment) => rewrite(segment, masks)) }
}

interface FoundInSegment {
  readonly given: string
  readonly scanned: string
  readonly spans: readonly JudgedDetection[]
}

function rewrite({ given, scanned, spans }: FoundInSegment, masks: MaskWriter): FilteredSegment {
  const text = maskText(scanned, spans, masks)
  return text === given ? { scanned, spans } : { scanned, spans, rewritten: text }
}

/** The outcome of texts without findings. */
function withoutFindings(segments: RequestTexts['segments'], texts: readonly string[]): FilteredSegment[] {
  return texts.map((scanned, index) =>
    segments[index]?.text === scanned ? { scanned, spans: NO_SPANS } : { scanned, spans: NO_SPANS, rewritten: scanned },
  )
}

const NO_SPANS: readonly JudgedDetection[] = []

function untouched(segments: RequestTexts['segments']): FilterOutcome {
  return { blocked: false, masked: false, segments: segments.map(({ text }) => ({ scanned: text, spans: [] })) }
}
