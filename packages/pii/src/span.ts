/** A half-open range of a string in UTF-16 code units. */
export interface Span {
  readonly start: number
  readonly end: number
}

/** Which tier found something: a model that recognises entities, or patterns. */
export type DetectionSource = 'ner' | 'pattern'

/** Something found in a text, before it is decided what becomes of it. */
export interface Detection extends Span {
  /** The entity group as the detector names it: `EMAIL`, or the name of a pattern. */
  readonly group: string
  readonly source: DetectionSource
  /** 0..1; patterns are certain, 1. */
  readonly score: number
}

/** The id of a detection as policies, events and mask texts write it: `ner:EMAIL`. */
export function detectionId({ source, group }: Pick<Detection, 'source' | 'group'>): string {
  return `${source}:${group}`
}
