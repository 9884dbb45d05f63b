/**
 * JSON Schemas as grammars for generation, and as checks of generated replies.
 *
 * @module
 */

// Checks
export type { ValueCheck } from './check/create-check.ts'
export type { SchemaProblem } from './check/verdict.ts'
// Forms of answers
export { type CompiledSchema, type CompileOptions, compileSchema } from './compile-schema.ts'
export { compileStructuredOutput, type OutputConstraint } from './compile-structured-output.ts'
export type { SchemaOrigin } from './schema-refusal.ts'
export type { StructuredOutput, ToolGrammarSettings } from './settings.ts'
export { type FieldNames, type StructuredOutputFields, toStructuredOutput } from './structured-output.ts'
// Calls of tools
export { createToolGrammar, type ToolGrammar, type ToolGrammarInput } from './tools/tool-grammar.ts'
export { type CallableTool, describeLeftOut, type LeftOutPart } from './tools/tool-schema.ts'
