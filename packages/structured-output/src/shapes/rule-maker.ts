import type { Expression } from '../gbnf/expression.ts'
import type { SchemaPlace } from '../schema/schema-document.ts'

/** Creates rules for the parts of a value. */
export interface RuleMaker {
  /** A reference to the rule of values that satisfy all of these places. */
  ruleFor(places: readonly SchemaPlace[]): Expression
  /** A reference to the rule of texts that satisfy all of these places. */
  ruleForText(places: readonly SchemaPlace[]): Expression
  /** A repetition that counts against the element limit of the grammar. */
  counted(item: Expression, min: number, max: number): Expression
  /** Counts elements of the grammar; throws when there are too many. */
  spend(elements: number): void
  /** Adds a rule and returns a reference to it. */
  addRule(hint: string, body: Expression): Expression
  /**
   * Adds a rule under a fixed name that ends with a letter; no generated name does. A second definition of the name
   * must be the same.
   */
  define(name: string, body: Expression): void
  /** Whether a property name satisfies a schema. */
  acceptsName(schema: SchemaPlace, name: string): boolean
  /** Whether a pattern matches anywhere in a name. */
  matches(pattern: string, name: string): boolean
  /** Property names in the order of writing. */
  inOrder(names: readonly string[]): readonly string[]
}
