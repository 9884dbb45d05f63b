import type { JudgedDetection } from './detector.ts'
import { type Detection, toDetectionId } from './span.ts'

/** A masked range, with the operator of its detector. */
export type MaskedSpan = Detection & Pick<JudgedDetection, 'writeMask' | 'writeFake'>

/** Writes the replacement of masked text. */
export interface MaskWriter {
  /**
   * Returns the replacement of one masked value. Called in the order of the text, once for each span.
   *
   * @param span the range of the value in its segment, and its kind @param value the matched text: never to be logged
   *   or kept beyond the request
   */
  mask(span: MaskedSpan, value: string): string
}

/**
 * Writes the fixed text of §6.3, `[REDACTED:ner:EMAIL]`, or the text of the detector's operator; the fixed text also in
 * place of invented values, which belong to one request.
 */
export const FIXED_MASKS: MaskWriter = {
  mask: (span, value) => span.writeMask?.(value) ?? `[REDACTED:${toDetectionId(span)}]`,
}

/**
 * Replaces the masked spans of a text; allowed and blocked ones stay.
 *
 * @param spans ascending and apart, as overlap resolution leaves them
 */
export function maskText(text: string, spans: readonly JudgedDetection[], masks: MaskWriter = FIXED_MASKS): string {
  if (spans.length === 0) return text
  const pieces: string[] = []
  let read = 0
  for (const span of spans) {
    if (span.action !== 'mask') continue
    pieces.push(text.slice(read, span.start), masks.mask(span, text.slice(span.start, span.end)))
    read = span.end
  }
  pieces.push(text.slice(read))
  return pieces.join('')
}
