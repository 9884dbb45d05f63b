import { checkArgument } from '@svc/errors'
import type { PiiAction } from './action.ts'
import type { JudgedDetection } from './detector.ts'
import { type FilterOptions, filterSegments } from './filter.ts'
import { convertOffsets, OFFSET_ENCODINGS, type OffsetEncoding } from './offsets.ts'
import type { DetectionSource } from './span.ts'

/** How one text is analyzed. */
export interface AnalyzeOptions extends FilterOptions {
  /** What `start` and `end` of the entities count. @default 'utf8' */
  readonly offsetEncoding?: OffsetEncoding | undefined
}

/** Something found in a text (§4.8). Never holds the text itself. */
export interface Entity {
  /** The group as the detector names it. */
  readonly entityType: string
  readonly source: DetectionSource
  /** Half open, in the encoding asked for. */
  readonly start: number
  readonly end: number
  readonly score: number
  readonly action: PiiAction
}

/** What analyzing a text gives. */
export interface Analysis {
  /** In the order of the text, apart from each other. */
  readonly entities: readonly Entity[]
  /** The same, with offsets as code units of {@link Analysis.scanned}. */
  readonly spans: readonly JudgedDetection[]
  /** The text as it was scanned: lone halves of surrogate pairs are U+FFFD. */
  readonly scanned: string
  readonly blocked: boolean
}

/** What redacting a text gives: the text with its masks, or nothing when a detection blocks it. */
export type Redaction =
  | (Analysis & { readonly blocked: true })
  | (Analysis & { readonly blocked: false; readonly masked: boolean; readonly redactedText: string })

/**
 * What detectors find in one text, scanned as one document. Changes nothing.
 *
 * @throws SvcError `pii_ner_unavailable` when a detector fails
 */
export async function analyzeText(text: string, options: AnalyzeOptions): Promise<Analysis> {
  const { entities, spans, scanned, blocked } = await redactText(text, options)
  return { entities, spans, scanned, blocked }
}

/**
 * {@link analyzeText} with the policy applied.
 *
 * @throws SvcError `pii_ner_unavailable` when a detector fails
 */
export async function redactText(
  text: string,
  { offsetEncoding = 'utf8', ...options }: AnalyzeOptions,
): Promise<Redaction> {
  checkArgument(typeof text === 'string', 'redactText: text', 'a text', text)
  const isKnown = OFFSET_ENCODINGS.includes(offsetEncoding)
  checkArgument(isKnown, 'redactText: offsetEncoding', `one of ${OFFSET_ENCODINGS.join(', ')}`, offsetEncoding)
  const { blocked, masked, segments } = await filterSegments({ segments: [{ text }] }, options)
  const { scanned = text, spans = [], rewritten = text } = segments[0] ?? {}
  const analysis = { entities: entitiesOf(scanned, spans, offsetEncoding), spans, scanned }
  return blocked ? { ...analysis, blocked } : { ...analysis, blocked, masked, redactedText: rewritten }
}

function entitiesOf(text: string, spans: readonly JudgedDetection[], to: OffsetEncoding): Entity[] {
  const edges = convertOffsets(
    text,
    spans.flatMap(({ start, end }) => [start, end]),
    { from: 'utf16', to },
  )
  return spans.map(({ group, source, score, action }, index) => {
    return { entityType: group, source, start: edges[2 * index] ?? 0, end: edges[2 * index + 1] ?? 0, score, action }
  })
}
