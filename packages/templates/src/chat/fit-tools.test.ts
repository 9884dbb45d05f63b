import { describe, expect, it } from 'vitest'
import { writeJson } from './call-arguments.ts'
import { fitTools } from './fit-tools.ts'
import { simplifyTools } from './simplify-tools.ts'

const NO_PARAMETERS = '{"type": "object", "properties": {}}'

describe('declarations', () => {
  it.each([
    [
      'whole ones stay',
      { name: 'f', description: 'd', parameters: { type: 'object', properties: { a: {} } } },
      '{"name": "f", "description": "d", "parameters": {"type": "object", "properties": {"a": {}}}}',
    ],
    [
      'no description',
      { name: 'f', parameters: { type: 'object', properties: {} } },
      `{"name": "f", "description": "", "parameters": ${NO_PARAMETERS}}`,
    ],
    [
      'description null',
      { description: null, name: 'f' },
      `{"name": "f", "description": "", "parameters": ${NO_PARAMETERS}}`,
    ],
    [
      'no parameters',
      { name: 'f', description: 'd', strict: true },
      `{"name": "f", "description": "d", "strict": true, "parameters": ${NO_PARAMETERS}}`,
    ],
    [
      'parameters null',
      { name: 'f', description: 'd', parameters: null },
      `{"name": "f", "description": "d", "parameters": ${NO_PARAMETERS}}`,
    ],
    [
      'empty parameters',
      { name: 'f', description: 'd', parameters: {} },
      `{"name": "f", "description": "d", "parameters": ${NO_PARAMETERS}}`,
    ],
    [
      'parameters of a wrong kind',
      { name: 'f', description: 'd', parameters: [] },
      `{"name": "f", "description": "d", "parameters": ${NO_PARAMETERS}}`,
    ],
    [
      'no type',
      { name: 'f', description: 'd', parameters: { properties: { a: {} }, required: null } },
      '{"name": "f", "description": "d", "parameters": {"type": "object", "properties": {"a": {}}}}',
    ],
    [
      'a reference',
      { name: 'f', description: 'd', parameters: { $ref: '#/x' } },
      '{"name": "f", "description": "d", "parameters": {"$ref": "#/x", "properties": {}}}',
    ],
  ])('%s', (_name, declared, expected) => {
    const written = `{"type": "function", "function": ${expected}}`
    expect(writeJson(fitTools([{ type: 'function', function: declared }])[0])).toBe(written)
    expect(writeJson(fitTools([{ function: new Map<string, unknown>(Object.entries(declared)) }])[0])).toBe(written)
    expect(writeJson(fitTools([{ type: 'function', ...declared }])[0])).toBe(written)
  })

  it('of another kind stay', () => {
    expect(fitTools(['x', { type: 'web_search' }])).toEqual(['x', { type: 'web_search' }])
  })

  it.each([
    ['a list of types', { type: ['null', 'string'] }, '{"type": "string", "description": ""}'],
    ['no type', {}, '{"type": "string", "description": ""}'],
    ['true', true, '{"type": "string", "description": ""}'],
    [
      'a choice',
      { anyOf: [{ type: 'null' }, { type: 'integer' }] },
      '{"anyOf": [{"type": "null"}, {"type": "integer"}], "type": "integer", "description": ""}',
    ],
    [
      'an array',
      { type: 'array', description: 'd' },
      '{"type": "array", "description": "d", "items": {"type": "string", "description": ""}}',
    ],
  ])('in simple form: %s', (_name, schema, expected) => {
    const tools = simplifyTools(fitTools([{ function: { name: 'f', parameters: { properties: { a: schema } } } }]))
    expect(writeJson(tools[0])).toContain(`"properties": {"a": ${expected}}`)
  })

  it('in simple form are bounded', () => {
    let schema: unknown = {}
    for (let depth = 0; depth < 5000; depth++) schema = { type: 'array', items: schema }
    const parameters = { type: 'object', properties: { a: schema } }
    expect(
      JSON.stringify(writeJson(simplifyTools(fitTools([{ function: { name: 'f', parameters } }]))[0])).length,
    ).toBeLessThan(5000)
  })
})
