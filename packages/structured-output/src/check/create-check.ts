import type { TextTest } from '../patterns/compile-pattern.ts'
import type { SchemaPlace } from '../schema/schema-document.ts'
import { CheckExhausted, Evaluation } from './evaluation.ts'
import type { SchemaProblem } from './verdict.ts'

/** Says what is wrong with a value; undefined when it is right. */
export type ValueCheck = (value: unknown) => readonly SchemaProblem[] | undefined

/** A check against all of a schema: what a grammar cannot say included. */
export function createCheck(place: SchemaPlace, patterns: Map<string, TextTest>): ValueCheck {
  return (value) => {
    const evaluation = new Evaluation(patterns)
    try {
      const { isValid } = evaluation.apply(place, { value, pointer: '' })
      return isValid ? undefined : evaluation.problems
    } catch (error) {
      if (error instanceof CheckExhausted) return [{ pointer: '', reason: 'takes too long to check' }]
      // The stack is at its end: comparing values goes as deep as they are nested.
      if (error instanceof RangeError) return [{ pointer: '', reason: 'is nested too deep to be checked' }]
      throw error
    }
  }
}
