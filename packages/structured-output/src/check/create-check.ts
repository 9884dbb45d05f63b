import type { TextTest } from '../patterns/compile-pattern.ts'
import type { SchemaPlace } from '../schema/schema-document.ts'
import { CheckExhausted, Evaluation } from './evaluation.ts'
import type { SchemaProblem } from './verdict.ts'

/** Returns the problems of a value; undefined for a value without problems. */
export type ValueCheck = (value: unknown) => readonly SchemaProblem[] | undefined

/** Creates a check against the whole schema, including keywords that a grammar cannot express. */
export function createCheck(place: SchemaPlace, patterns: Map<string, TextTest>): ValueCheck {
  return (value) => {
    const evaluation = new Evaluation(patterns)
    try {
      const { isValid } = evaluation.apply(place, { value, pointer: '' })
      return isValid ? undefined : evaluation.problems
    } catch (error) {
      if (error instanceof CheckExhausted) return [{ pointer: '', reason: 'takes too long to check' }]
      // Comparing deeply nested values overflowed the stack.
      if (error instanceof RangeError) return [{ pointer: '', reason: 'is nested too deep to be checked' }]
      throw error
    }
  }
}
