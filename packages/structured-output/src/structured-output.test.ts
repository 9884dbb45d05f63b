import { describe, expect, it } from 'vitest'
import { compileStructuredOutput } from './compile-structured-output.ts'
import { type StructuredOutputFields, toStructuredOutput } from './structured-output.ts'

const SCHEMA = { type: 'object', properties: { b: { type: 'integer' }, a: { type: 'integer' } } }

describe('toStructuredOutput', () => {
  it.each<[string, StructuredOutputFields, unknown]>([
    ['nothing', {}, undefined],
    ['nulls', { responseFormat: null, grammar: null, grammarJsonFunctions: null }, undefined],
    ['text', { responseFormat: { type: 'text' } }, undefined],
    ['the word text', { responseFormat: 'text' }, undefined],
    ['any object', { responseFormat: { type: 'json_object' } }, { kind: 'json-object' }],
    ['the word json_object', { responseFormat: 'json_object' }, { kind: 'json-object' }],
    [
      'an object of a schema',
      { responseFormat: { type: 'json_object', schema: SCHEMA } },
      { kind: 'json-schema', schema: SCHEMA },
    ],
    [
      'a named schema',
      { responseFormat: { type: 'json_schema', json_schema: { name: 'n', strict: true, schema: SCHEMA } } },
      { kind: 'json-schema', schema: SCHEMA, name: 'n' },
    ],
    [
      'a schema beside its type',
      { responseFormat: { type: 'json_schema', name: 'n', schema: SCHEMA } },
      { kind: 'json-schema', schema: SCHEMA, name: 'n' },
    ],
    ['a grammar', { grammar: 'root ::= "a"', responseFormat: 'text' }, { kind: 'gbnf', grammar: 'root ::= "a"' }],
    ['an empty grammar', { grammar: '' }, undefined],
    [
      'calls as a schema',
      { grammarJsonFunctions: { oneOf: [SCHEMA] } },
      { kind: 'json-schema', schema: { oneOf: [SCHEMA] } },
    ],
  ])('reads %s', (_, fields, output) => {
    expect(toStructuredOutput(fields)).toEqual(output)
  })

  it.each<[string, StructuredOutputFields, string]>([
    ['an unknown type', { responseFormat: { type: 'xml' } }, 'response_format'],
    ['a number', { responseFormat: 5 }, 'response_format'],
    ['the bare word json_schema', { responseFormat: 'json_schema' }, 'response_format'],
    [
      'no schema',
      { responseFormat: { type: 'json_schema', json_schema: { name: 'n' } } },
      'response_format.json_schema.schema',
    ],
    ['a flat form without schema', { responseFormat: { type: 'json_schema' } }, 'response_format.schema'],
    ['a form and a grammar', { responseFormat: 'json_object', grammar: 'root ::= "a"' }, 'grammar'],
    ['a grammar and calls', { grammar: 'root ::= "a"', grammarJsonFunctions: {} }, 'grammar_json_functions'],
    ['an endless grammar', { grammar: 'x'.repeat(600_000) }, 'grammar'],
  ])('refuses %s', (_, fields, param) => {
    expect(() => toStructuredOutput(fields)).toThrow(
      expect.objectContaining({ kind: 'invalid_request', details: { param } }),
    )
  })

  it('calls the field as its format does', () => {
    expect(() => toStructuredOutput({ responseFormat: 'xml' }, { responseFormat: 'text.format' })).toThrow(
      /^text\.format:/,
    )
  })
})

describe('compileStructuredOutput', () => {
  it('requires an object and nothing more', () => {
    const { grammar, check } = compileStructuredOutput({ kind: 'json-object' }, {})
    expect(grammar).toMatch(/^root ::= object\n/)
    expect(check?.({ a: 1 })).toBeUndefined()
    for (const value of [[], 1, null, 'x']) expect(check?.(value)).toEqual([{ pointer: '', reason: 'must be object' }])
  })

  it('passes grammars on as they are, without a check', () => {
    expect(compileStructuredOutput({ kind: 'gbnf', grammar: 'root ::= [a-z]' }, {})).toEqual({
      grammar: 'root ::= [a-z]',
    })
  })

  it('orders properties as the model wants them', () => {
    const settings = { grammar: { propertiesOrder: 'a' } }
    const { grammar } = compileStructuredOutput({ kind: 'json-schema', schema: SCHEMA }, settings)
    expect(grammar.indexOf('x22a')).toBeLessThan(grammar.indexOf('x22b'))
  })
})
