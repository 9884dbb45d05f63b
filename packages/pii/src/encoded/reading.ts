import type { Span } from '../span.ts'

/** A text that stands encoded in another, its source. */
export interface Reading {
  readonly text: string
  /** What has to go from the source for a range of the reading to be gone. */
  toSource(range: Span): Span
}

/** Things that are made one after another; `undefined` after a piece of work that made none. */
export type Steps<T> = Generator<T | undefined, void, undefined>

/** Characters that are looked at in one step, about. */
export const STEP_CHARACTERS = 16_384
