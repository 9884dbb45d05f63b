import type { ValueCheck } from './check/create-check.ts'
import { compileSchema, jsonObjectGrammar } from './compile-schema.ts'
import { isObject } from './schema/json.ts'
import type { StructuredOutput, ToolGrammarSettings } from './settings.ts'
import { readPropertiesOrder } from './tools/properties-order.ts'

/** The constraint on a reply's form. */
export interface OutputConstraint {
  readonly grammar: string
  /** For the parsed reply; absent for a form other than JSON. */
  readonly check?: ValueCheck | undefined
}

/**
 * Compiles the grammar of a form, and the check of keywords that the grammar cannot express.
 *
 * @param settings the `function` block of the model @throws `invalid_request` with the code `unsupported_schema`,
 *   before anything is generated
 */
export function compileStructuredOutput(output: StructuredOutput, settings: ToolGrammarSettings): OutputConstraint {
  switch (output.kind) {
    case 'gbnf':
      return { grammar: output.grammar }
    case 'json-object':
      return {
        grammar: jsonObjectGrammar(),
        check: (value) => (isObject(value) ? undefined : [{ pointer: '', reason: 'must be object' }]),
      }
    case 'json-schema':
      return compileSchema(output.schema, {
        origin: { param: 'response_format' },
        propertiesOrder: readPropertiesOrder(settings),
      })
  }
}
