import type { Expression } from '../gbnf/expression.ts'
import type { SchemaPlace } from '../schema/schema-document.ts'

/** Makes rules for the parts of a value. */
export interface RuleMaker {
  /** A reference to the rule of values that hold against all of these places. */
  ruleFor(places: readonly SchemaPlace[]): Expression
  /** A reference to the rule of texts that hold against all of these places. */
  ruleForText(places: readonly SchemaPlace[]): Expression
  /** A repetition, counted against what a grammar may come to. */
  counted(item: Expression, min: number, max: number): Expression
  /** Counts elements of the grammar; throws when they are too many. */
  spend(elements: number): void
  /** Adds a rule and answers a reference to it. */
  addRule(hint: string, body: Expression): Expression
  /** Gives a rule a name that no other rule has: one that ends with a letter. A second one of the name is the same. */
  define(name: string, body: Expression): void
  /** Whether a property name is right by some schema. */
  acceptsName(schema: SchemaPlace, name: string): boolean
  /** Whether a name has a match of a pattern in it. */
  matches(pattern: string, name: string): boolean
  /** Property names in the order in which they are to be written. */
  inOrder(names: readonly string[]): readonly string[]
}
