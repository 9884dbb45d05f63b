import type { SchemaPlace } from '../schema/schema-document.ts'

/** One problem of a value. */
export interface SchemaProblem {
  /** JSON pointer into the value; empty for the whole. */
  readonly pointer: string
  /** Continues a sentence that begins with "the value": `must be a string`. */
  readonly reason: string
}

/**
 * The parts of a value that the keywords of a schema have evaluated, for `unevaluatedProperties` and
 * `unevaluatedItems`.
 */
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

/** Collects the results of one schema for one value. */
export interface Verdict {
  fail(reason: string): void
  /** Applies another schema to the same value: its evaluated parts count as evaluated here. */
  merge(result: Evaluated): void
  readonly keys: Set<string>
  items: number
}

/** Applies schemas to values. */
export interface Evaluator {
  /** Applies a schema and records its problems. */
  apply(place: SchemaPlace, subject: Subject): Evaluated
  /** Whether a schema holds, without recording problems. */
  try(place: SchemaPlace, subject: Subject): Evaluated
  /** Whether a value is among the listed ones. */
  isListed(values: readonly unknown[], value: unknown): boolean
  /** Whether a pattern matches anywhere in a text. */
  matches(pattern: string, text: string): boolean
}
