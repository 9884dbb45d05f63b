/** A half-open range of a string in UTF-16 code units. */
export interface Span {
  readonly start: number
  readonly end: number
}

/** The tier of a finding: a model that recognises entities, or patterns. */
export type DetectionSource = 'ner' | 'pattern'

/** A finding in a text, before any action. */
export interface Detection extends Span {
  /** The entity group as the detector names it: `EMAIL`, or the name of a pattern. */
  readonly group: string
  readonly source: DetectionSource
  /** 0..1; patterns are certain, 1, except for values that are not checked. */
  readonly score: number
  /** False where only a label and the form speak for a value, since its range, check or case is wrong. */
  readonly checked?: false | undefined
}

/** The id of a detection in policies, events and mask texts: `ner:EMAIL`. */
export function toDetectionId({ source, group }: Pick<Detection, 'source' | 'group'>): string {
  return `${source}:${group}`
}

/** The index of the first span that ends after an offset, or their number; spans are ascending and apart. */
export function findFirstEndingAfter(spans: readonly Span[], offset: number): number {
  let low = 0
  let high = spans.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((spans[middle]?.end ?? 0) > offset) high = middle
    else low = middle + 1
  }
  return low
}
