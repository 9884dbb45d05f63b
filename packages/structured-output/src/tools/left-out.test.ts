import { describe, expect, it } from 'vitest'
import { matchesGbnf, readGbnf } from '../../test/gbnf.ts'
import { createToolGrammar, type ToolGrammar } from './tool-grammar.ts'
import { type CallableTool, describeLeftOut } from './tool-schema.ts'

const CLOCK = { name: 'clock' }

function compile(parameters: Readonly<Record<string, unknown>>, tool: Partial<CallableTool> = {}): ToolGrammar {
  return createToolGrammar({ functions: [CLOCK, { name: 'odd', parameters, ...tool }], settings: {} })
}

function accepts({ grammar }: ToolGrammar, value: unknown, name = 'odd'): boolean {
  return matchesGbnf(readGbnf(grammar), JSON.stringify({ name, arguments: value }))
}

const inside = (schema: unknown): Readonly<Record<string, unknown>> => ({
  type: 'object',
  properties: { city: { type: 'string', maxLength: 4 }, odd: schema },
  required: ['city'],
})

function nest(depth: number): unknown {
  let schema: unknown = { type: 'integer' }
  for (let level = 0; level < depth; level += 1) schema = { properties: { a: schema } }
  return schema
}

/** A schema under `odd`, the place that is left out, a value that it allows then. */
const ODD: readonly (readonly [name: string, schema: unknown, pointer: string, value: unknown])[] = [
  ['look-ahead', { type: 'string', pattern: '^(?=.*[a-z]).{3}$' }, '/properties/odd/pattern', 'any text'],
  ['look-behind', { type: 'string', pattern: '(?<!a)b' }, '/properties/odd/pattern', 'any text'],
  ['back references', { type: 'string', pattern: '(a)\\1' }, '/properties/odd/pattern', 'any text'],
  ['a broken pattern', { type: 'string', pattern: '(' }, '/properties/odd/pattern', 'any text'],
  ['a pattern that is not text', { type: 'string', pattern: 5 }, '/properties/odd/pattern', 'any text'],
  ['a long pattern', { type: 'string', pattern: 'a'.repeat(2000) }, '/properties/odd/pattern', 'any text'],
  ['a type of another language', { type: 'float', minimum: 1 }, '/properties/odd/type', 2.5],
  ['a list of types with one of them', { type: ['string', 'any'] }, '/properties/odd/type', [1]],
  ['a format that is not text', { type: 'string', format: {} }, '/properties/odd/format', 'any text'],
  ['a bound in text', { type: 'integer', minimum: '1' }, '/properties/odd/minimum', 0],
  ['a negative count', { type: 'array', minItems: -1 }, '/properties/odd/minItems', []],
  ['a step of 0', { type: 'integer', multipleOf: 0 }, '/properties/odd/multipleOf', 3],
  ['an empty list of values', { enum: [] }, '/properties/odd/enum', 'any text'],
  ['values that are no list', { type: 'string', enum: 'a' }, '/properties/odd/enum', 'any text'],
  ['a reference elsewhere', { $ref: 'https://example.com/schema.json' }, '/properties/odd/$ref', { a: 1 }],
  ['a reference to nothing', { $ref: '#/components/schemas/City' }, '/properties/odd/$ref', { a: 1 }],
  ['a dynamic reference', { $dynamicRef: '#node' }, '/properties/odd/$dynamicRef', { a: 1 }],
  ['names that are no list', { type: 'object', required: 'a' }, '/properties/odd/required', { a: 1 }],
  ['properties in a list', { properties: [] }, '/properties/odd/properties', { a: 1 }],
  ['alternatives that are no list', { anyOf: {} }, '/properties/odd/anyOf', { a: 1 }],
  ['no alternatives', { oneOf: [] }, '/properties/odd/oneOf', { a: 1 }],
  ['an alternative that is not a schema', { anyOf: [{ type: 'string' }, 'text'] }, '/properties/odd/anyOf/1', [1]],
  ['a property that is not a schema', 'string', '/properties/odd', [1]],
  ['an items that is not a schema', { type: 'array', items: 'string' }, '/properties/odd/items', [1, 'a']],
  ['a count beyond the engine', { type: 'string', minLength: 100_000 }, '/properties/odd/minLength', 'short'],
  [
    'names by a pattern that no grammar holds',
    { patternProperties: { '\\bx\\b': {} } },
    '/properties/odd/patternProperties',
    { a: 1 },
  ],
]

describe('a part of a schema that cannot be used', () => {
  it.each(ODD)('%s is left out, and named', (_, schema, pointer, value) => {
    const tool = compile(inside(schema))
    expect(tool.leftOut).toEqual([{ tool: 'odd', pointer, reason: expect.stringMatching(/^[a-z].{3,}/) }])
    expect(accepts(tool, { city: 'Oslo', odd: value })).toBe(true)
    expect(tool.check('odd', { city: 'Oslo', odd: value })).toBeUndefined()
    // The rest of the schema, and the other tool, hold as before.
    expect(accepts(tool, { city: 'Reykjavik' })).toBe(false)
    expect(tool.check('odd', { city: 'Reykjavik' })).toHaveLength(1)
    expect(accepts(tool, {}, 'clock')).toBe(true)
  })

  it.each(ODD)('%s refuses a strict tool', (_, schema, pointer) => {
    expect(() => compile(inside(schema), { strict: true })).toThrow(
      expect.objectContaining({ code: 'unsupported_schema', details: { param: 'tools', pointer } }),
    )
  })

  it('may be one of several', () => {
    const { leftOut } = compile({
      properties: { a: { type: 'string', pattern: '(?=a)', format: 1 }, b: { type: 'uuid' } },
      required: [7],
    })
    expect(leftOut.map(({ pointer }) => pointer)).toEqual([
      '/required',
      '/properties/a/format',
      '/properties/a/pattern',
      '/properties/b/type',
    ])
  })

  it.each<[string, Readonly<Record<string, unknown>>]>([
    ['arguments that are no object', { type: 'string' }],
    ['more faults than are worth naming', { allOf: Array.from({ length: 40 }, () => ({ type: 'float' })) }],
    ['more values than a schema may have', { enum: Array.from({ length: 30_000 }, (_, index) => index) }],
    ['a reference to itself', { $ref: '#' }],
    ['6,000 properties', { properties: Object.fromEntries(Array.from({ length: 6_000 }, (_, at) => [`p${at}`, {}])) }],
  ])('takes the whole schema with it: %s', (_, parameters) => {
    const tool = compile(parameters)
    expect(tool.leftOut).toEqual([{ tool: 'odd', pointer: '', reason: expect.any(String) }])
    expect(accepts(tool, { any: [1] })).toBe(true)
    expect(accepts(tool, 'text')).toBe(false)
    expect(accepts(tool, {}, 'clock')).toBe(true)
  })

  it('may be a value that nothing satisfies, which would leave a tool that can never be called', () => {
    const tool = compile({ properties: { a: { type: 'string', enum: [1] } }, required: ['a'] })
    expect(tool.leftOut).toEqual([{ tool: 'odd', pointer: '/properties/a', reason: 'no value can satisfy it' }])
    expect(accepts(tool, { a: 5 })).toBe(true)
    expect(() => compile({ properties: { a: false }, required: ['a'] }, { strict: true })).toThrow(
      /no value can satisfy/,
    )
  })

  it('may be nested too deep', () => {
    const tool = compile({ properties: { a: nest(300), b: { const: 1 } } })
    expect(tool.leftOut).toHaveLength(1)
    expect(accepts(tool, { b: 1 })).toBe(true)
    expect(accepts(tool, { b: 2 })).toBe(false)
  })

  it('is the largest schema where all tools together are too much', () => {
    const list = (count: number): Readonly<Record<string, unknown>> => ({
      properties: { a: { type: 'array', items: { const: 1 }, minItems: 1000 }, b: { enum: ['x'.repeat(count)] } },
    })
    const functions = Array.from({ length: 55 }, (_, index) => ({ name: `tool${index}`, parameters: list(index * 4) }))
    const { leftOut } = createToolGrammar({ functions, settings: {} })
    expect(leftOut.map(({ tool }) => tool)).toEqual([48, 49, 50, 51, 52, 53, 54].map((index) => `tool${index}`))
  })

  it('takes few steps for each value of long lists', () => {
    const parameters = { properties: { a: { enum: Array.from({ length: 19_000 }, (_, index) => index) } } }
    const functions = Array.from({ length: 64 }, (_, index) => ({ name: `tool${index}`, parameters }))
    expect(createToolGrammar({ functions, settings: {} }).leftOut).toHaveLength(63)
  })

  it('does not lift the limit of steps', () => {
    const $defs = Object.fromEntries(
      Array.from({ length: 30 }, (_, at) => [
        `d${at}`,
        { allOf: [{ $ref: `#/$defs/d${at + 1}` }, { $ref: `#/$defs/d${at + 1}` }] },
      ]),
    )
    const parameters = { $defs: { ...$defs, d30: {} }, $ref: '#/$defs/d0' }
    const functions = Array.from({ length: 10 }, (_, index) => ({ name: `tool${index}`, parameters }))
    expect(() => createToolGrammar({ functions, settings: {} })).toThrow(/too many steps/)
  })

  it('is described by tool, place and reason', () => {
    const part = { tool: 'a', pointer: '/properties/x/pattern', reason: 'is odd' }
    expect(describeLeftOut([part])).toBe('the schemas of tools are used without a/properties/x/pattern (is odd)')
    const parts = [...Array.from({ length: 7 }, () => part), { tool: 'b', pointer: '', reason: 'is too long' }]
    expect(describeLeftOut(parts)).toMatch(/, and 4 more$/)
    expect(describeLeftOut(parts.slice(-1))).toBe('the schemas of tools are used without the whole of b (is too long)')
  })
})
