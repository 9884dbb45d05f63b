import type { Span } from '../span.ts'

/** A text decoded from another, its source. */
export interface Reading {
  readonly text: string
  /** The range of the source that must be removed to remove a range of the reading. */
  toSource(range: Span): Span
}

/** Items produced step by step; a step without an item yields `undefined`. */
export type Steps<T> = Generator<T | undefined, void, undefined>

/** Approximate number of characters in one step. */
export const STEP_CHARACTERS = 16_384
