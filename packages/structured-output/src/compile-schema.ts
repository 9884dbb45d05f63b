import { createCheck, type ValueCheck } from './check/create-check.ts'
import { CompileBudget } from './compile-budget.ts'
import { GrammarBuilder, type GrammarOptions } from './grammar-builder.ts'
import { openSchema } from './schema/schema-document.ts'
import { surveySchema } from './schema/survey-schema.ts'
import type { SchemaOrigin } from './schema-refusal.ts'

/** A JSON Schema, ready to generate by and to check against. */
export interface CompiledSchema {
  /** Grammar in the language of llama.cpp; what it matches is JSON, and right as far as a grammar can tell. */
  readonly grammar: string
  /** Holds a parsed reply to the whole schema. */
  readonly check: ValueCheck
}

/** How a schema is compiled. */
export interface CompileOptions extends GrammarOptions {
  /** Named in refusals. */
  readonly origin: SchemaOrigin
}

/**
 * Compiles a JSON Schema (draft 2020-12, and what older drafts wrote otherwise) to a grammar.
 *
 * The grammar may match less than the schema: properties keep their order, no properties are made up beside listed ones,
 * a schema that says nothing of the type means the type that its keywords are about. What a grammar cannot say (`not`,
 * `uniqueItems`, `contains`, exclusive alternatives, some patterns and steps) is left to {@link CompiledSchema.check}.
 *
 * @throws `invalid_request` with the code `unsupported_schema`, the place as JSON pointer and the reason: when it is no
 *   schema, refers to something outside of it, has no value that ends, or goes beyond a bound
 */
export function compileSchema(schema: unknown, options: CompileOptions): CompiledSchema {
  const budget = new CompileBudget()
  const root = openSchema(schema, options.origin, budget)
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
