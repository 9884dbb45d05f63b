import { createCheck, type ValueCheck } from './check/create-check.ts'
import { CompileBudget } from './compile-budget.ts'
import { GrammarBuilder, type GrammarOptions } from './grammar-builder.ts'
import { openSchema } from './schema/schema-document.ts'
import { surveySchema } from './schema/survey-schema.ts'
import type { SchemaOrigin } from './schema-refusal.ts'

/** A compiled JSON Schema: a grammar for generation and a check for replies. */
export interface CompiledSchema {
  /**
   * Grammar in the language of llama.cpp. Its matches are JSON that satisfies the schema as far as a grammar can
   * express it.
   */
  readonly grammar: string
  /** Checks a parsed reply against the whole schema. */
  readonly check: ValueCheck
}

/** Options of {@link compileSchema}. */
export interface CompileOptions extends GrammarOptions {
  /** Named in refusals. */
  readonly origin: SchemaOrigin
}

/**
 * Compiles a JSON Schema (draft 2020-12, and the spellings of older drafts) to a grammar.
 *
 * The grammar may match less than the schema:
 *
 * - Properties keep their order.
 *
 * - No properties are invented beside listed ones.
 *
 * - A schema without a type gets the type that its keywords are about.
 *
 * {@link CompiledSchema.check} covers the keywords that a grammar cannot express: `not`, `uniqueItems`, `contains`,
 * exclusive alternatives, some patterns and steps.
 *
 * @throws `invalid_request` with the code `unsupported_schema`, the place as JSON pointer and the reason: when it is
 *   not a schema, refers to something outside of it, has no finite value, or passes a bound
 */
export function compileSchema(schema: unknown, options: CompileOptions): CompiledSchema {
  const budget = new CompileBudget()
  const root = openSchema(schema, options.origin, { budget })
  const patterns = surveySchema(root)
  const builder = new GrammarBuilder(options.origin, patterns, options)
  const grammar = builder.finish(builder.ruleFor([root]))
  budget.stop()
  return { grammar, check: createCheck(root, patterns) }
}

/** The grammar of `json_object`: any JSON object. */
export function jsonObjectGrammar(): string {
  return new GrammarBuilder({ param: 'response_format' }, new Map()).finish({ kind: 'rule', name: 'object' })
}
