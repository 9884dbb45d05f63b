import type { SchemaPlace } from '../schema/schema-document.ts'

/** What is wrong with a value. */
export interface SchemaProblem {
  /** JSON pointer into the value; empty for the whole. */
  readonly pointer: string
  /** Words that go on from "the value": `must be a string`. */
  readonly reason: string
}

/** What of a value the keywords of a schema have looked at, as `unevaluatedProperties` and `unevaluatedItems` ask. */
export interface Evaluated {
  readonly isValid: boolean
  readonly keys: ReadonlySet<string>
  /** Elements from the beginning; `Infinity` = all. */
  readonly items: number
}

/** A value that a schema is applied to. */
export interface Subject {
  readonly value: unknown
  readonly pointer: string
}

/** Collects what one schema says of one value. */
export interface Verdict {
  fail(reason: string): void
  /** Applies another schema to the same value: what it looks at counts as looked at here. */
  merge(result: Evaluated): void
  readonly keys: Set<string>
  items: number
}

/** Applies schemas to values. */
export interface Evaluator {
  /** Applies a schema and notes what is wrong. */
  apply(place: SchemaPlace, subject: Subject): Evaluated
  /** Whether a schema holds, without noting what is wrong. */
  try(place: SchemaPlace, subject: Subject): Evaluated
  /** Whether a value is one of those that a schema lists. */
  isListed(values: readonly unknown[], value: unknown): boolean
  /** Whether a text has a match of a pattern in it. */
  matches(pattern: string, text: string): boolean
}
