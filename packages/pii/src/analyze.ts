import { checkArgument } from '@svc/errors'
import type { PiiAction } from './action.ts'
import type { JudgedDetection } from './detector.ts'
import { type FilterOptions, filterSegments } from './filter.ts'
import { convertOffsets, OFFSET_ENCODINGS, type OffsetEncoding } from './offsets.ts'
import type { DetectionSource } from './span.ts'

/** Options of analyzing one text. */
export interface AnalyzeOptions extends FilterOptions {
  /** Unit of the entities' `start` and `end`. @default 'utf8' */
  readonly offsetEncoding?: OffsetEncoding | undefined
}

/** One entity found in a text (§4.8). Never holds the text itself. */
export interface Entity {
  /** The group as the detector names it. */
  readonly entityType: string
  readonly source: DetectionSource
  /** Half open, in the requested unit. */
  readonly start: number
  readonly end: number
  readonly score: number
  readonly action: PiiAction
  /** False where only a label and the form of a value speak for it. */
  readonly checked?: false | undefined
}

/** Result of analyzing a text. */
export interface Analysis {
  /** In the order of the text, without overlaps. */
  readonly entities: readonly Entity[]
  /** The same entities, with offsets in code units of {@link Analysis.scanned}. */
  readonly spans: readonly JudgedDetection[]
  /** The scanned text: lone halves of surrogate pairs are U+FFFD. */
  readonly scanned: string
  readonly blocked: boolean
}

/** Result of redacting a text: the masked text, or no text when a detection blocks it. */
export type Redaction =
  | (Analysis & { readonly blocked: true })
  | (Analysis & { readonly blocked: false; readonly masked: boolean; readonly redactedText: string })

/**
 * Runs detectors on one text, as one document. Changes nothing.
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
  const analysis = { entities: toEntities(scanned, spans, offsetEncoding), spans, scanned }
  return blocked ? { ...analysis, blocked } : { ...analysis, blocked, masked, redactedText: rewritten }
}

function toEntities(text: string, spans: readonly JudgedDetection[], to: OffsetEncoding): Entity[] {
  const edges = convertOffsets(
    text,
    spans.flatMap(({ start, end }) => [start, end]),
    { from: 'utf16', to },
  )
  return spans.map(({ group, source, score, action, checked }, index) => {
    const [start, end] = [edges[2 * index] ?? 0, edges[2 * index + 1] ?? 0]
    const entity = { entityType: group, source, start, end, score, action }
    return checked === false ? { ...entity, checked } : entity
  })
}
