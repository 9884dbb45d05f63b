import { SvcError } from '@svc/errors'
import { MAX_GRAMMAR_LENGTH } from './limits.ts'
import { isObject, type JsonObject, readMember } from './schema/json.ts'
import type { StructuredOutput } from './settings.ts'

/** Fields of a request that state the form of its answer, as they came; null counts as absent. */
export interface StructuredOutputFields {
  /** A word, or an object with `type`, with its schema under `json_schema` or beside the type. */
  readonly responseFormat?: unknown
  /** Grammar in the language of llama.cpp; empty counts as absent. */
  readonly grammar?: string | null | undefined
  /** A JSON Schema of calls, as older clients write it. */
  readonly grammarJsonFunctions?: JsonObject | null | undefined
}

/** Names of the fields in refusals. */
export interface FieldNames {
  readonly responseFormat: string
}

/**
 * Reads the form of an answer; undefined for free text.
 *
 * @throws `invalid_request` for a form that is unknown or lacks its schema, for a grammar that is too long, and where
 *   two fields ask for a form each
 */
export function toStructuredOutput(
  fields: StructuredOutputFields,
  names: FieldNames = { responseFormat: 'response_format' },
): StructuredOutput | undefined {
  const wanted = [
    { field: names.responseFormat, output: fromResponseFormat(fields.responseFormat, names.responseFormat) },
    { field: 'grammar', output: fromGrammar(fields.grammar) },
    { field: 'grammar_json_functions', output: fromSchema(fields.grammarJsonFunctions) },
  ].filter(({ output }) => output !== undefined)
  const [first, second] = wanted
  if (second !== undefined) {
    throw refused(second.field, `${second.field} cannot be combined with ${first?.field ?? ''}`, 'conflicting_fields')
  }
  return first?.output
}

function fromResponseFormat(format: unknown, field: string): StructuredOutput | undefined {
  if (format === undefined || format === null) return undefined
  const type = isObject(format) ? readMember(format, 'type') : format
  if (type === 'text') return undefined
  if (type === 'json_object') {
    const schema = isObject(format) ? readMember(format, 'schema') : undefined
    return isObject(schema) ? { kind: 'json-schema', schema } : { kind: 'json-object' }
  }
  if (type !== 'json_schema' || !isObject(format)) {
    throw refused(field, `${field}: expected text, json_object or json_schema`, 'invalid_response_format')
  }
  const nested = readMember(format, 'json_schema')
  const holder = isObject(nested) ? nested : format
  const [schema, name] = [readMember(holder, 'schema'), readMember(holder, 'name')]
  if (typeof schema !== 'boolean' && !isObject(schema)) {
    const path = isObject(nested) ? `${field}.json_schema.schema` : `${field}.schema`
    throw refused(path, `${path}: expected a JSON Schema`, 'invalid_response_format')
  }
  return { kind: 'json-schema', schema, ...(typeof name === 'string' ? { name } : {}) }
}

function fromGrammar(grammar: string | null | undefined): StructuredOutput | undefined {
  if (grammar === undefined || grammar === null || grammar === '') return undefined
  if (grammar.length <= MAX_GRAMMAR_LENGTH) return { kind: 'gbnf', grammar }
  throw refused('grammar', `grammar: at most ${MAX_GRAMMAR_LENGTH} characters`, 'grammar_too_long')
}

function fromSchema(schema: JsonObject | null | undefined): StructuredOutput | undefined {
  return schema === undefined || schema === null ? undefined : { kind: 'json-schema', schema }
}

function refused(param: string, message: string, code: string): SvcError {
  return new SvcError('invalid_request', message, { code, details: { param } })
}
