import { SvcError } from '@svc/errors'
import fc from 'fast-check'
import { describe, expect, it, vi } from 'vitest'
import { createSampler, readGbnf, seededRandom } from '../test/gbnf.ts'
import { CompileBudget } from './compile-budget.ts'
import { compileSchema } from './compile-schema.ts'

const origin = { param: 'schema' }

/** Compiles, or is refused; any other error fails the test. */
function outcome(schema: unknown): 'compiled' | 'refused' {
  try {
    readGbnf(compileSchema(schema, { origin }).grammar)
    return 'compiled'
  } catch (error) {
    if (!SvcError.is(error)) throw error
    expect(error).toMatchObject({ kind: 'invalid_request', code: 'unsupported_schema' })
    expect(error.message.length).toBeLessThan(1000)
    return 'refused'
  }
}

function nest(depth: number, wrap: (inner: unknown) => unknown, innermost: unknown = { type: 'integer' }): unknown {
  let schema = innermost
  for (let level = 0; level < depth; level += 1) schema = wrap(schema)
  return schema
}

/** Definitions that each name the next one twice. */
function doubling(count: number, keyword: string): unknown {
  const names = Array.from({ length: count }, (_, index) => index)
  const next = (index: number): unknown => (index + 1 < count ? { $ref: `#/$defs/d${index + 1}` } : { type: 'null' })
  const $defs = Object.fromEntries(names.map((index) => [`d${index}`, { [keyword]: [next(index), next(index)] }]))
  return { $defs, $ref: '#/$defs/d0' }
}

const HOSTILE: readonly (readonly [name: string, schema: unknown, expected: 'compiled' | 'refused'])[] = [
  ['200 objects inside each other', nest(200, (inner) => ({ properties: { a: inner }, required: ['a'] })), 'compiled'],
  ['300 objects inside each other', nest(300, (inner) => ({ properties: { a: inner } })), 'refused'],
  ['300 alternatives inside each other', nest(300, (inner) => ({ anyOf: [inner, { type: 'null' }] })), 'refused'],
  ['100,000 lists inside each other', nest(100_000, (inner) => ({ items: inner })), 'refused'],
  ['a constant nested 5,000 deep', { const: nest(5_000, (inner) => [inner]) }, 'refused'],
  ['30 levels of anyOf, each twice the next', doubling(30, 'anyOf'), 'refused'],
  ['30 levels of allOf, each twice the next', doubling(30, 'allOf'), 'refused'],
  [
    'a million ways to combine',
    { allOf: Array.from({ length: 20 }, () => ({ anyOf: [{ minimum: 1 }, { maximum: 2 }] })) },
    'refused',
  ],
  ['50,000 values', { enum: Array.from({ length: 50_000 }, (_, index) => index) }, 'refused'],
  ['10,000 values', { enum: Array.from({ length: 10_000 }, (_, index) => index) }, 'compiled'],
  [
    '6,000 properties',
    { properties: Object.fromEntries(Array.from({ length: 6_000 }, (_, index) => [`p${index}`, { type: 'integer' }])) },
    'refused',
  ],
  [
    '1,000 properties and others',
    {
      properties: Object.fromEntries(Array.from({ length: 1_000 }, (_, index) => [`p${index}`, { type: 'integer' }])),
      additionalProperties: true,
    },
    'compiled',
  ],
  ['a name of 100,000 characters', { properties: { ['x'.repeat(100_000)]: {} } }, 'compiled'],
  [
    'a list of a thousand lists of a thousand',
    nest(40, (inner) => ({ type: 'array', items: inner, minItems: 1_000, maxItems: 1_000 })),
    'compiled',
  ],
  ['100 lists of a thousand', nest(100, (inner) => ({ type: 'array', items: inner, maxItems: 1_000 })), 'refused'],
  [
    '1,000 patterns',
    { allOf: Array.from({ length: 1_000 }, (_, index) => ({ pattern: `^a{${index % 900},900}b${index}` })) },
    'refused',
  ],
  ['patterns that other engines choke on', { type: 'string', pattern: '^(a+)+$|^(a|aa)+$|(x+x+)+y' }, 'compiled'],
  ['a range without end', { type: 'integer', minimum: -1e308, maximum: 1e308 }, 'compiled'],
  ['a step too small to see', { type: 'number', multipleOf: 5e-324 }, 'compiled'],
  ['an array where an object belongs', { properties: [] }, 'refused'],
  ['a schema that is a list', [], 'refused'],
]

/** Definitions that only refer to the next one, each also named by a property. */
function chain(length: number): unknown {
  const names = Array.from({ length }, (_, index) => index)
  const $defs = Object.fromEntries(names.map((index) => [`a${index}`, { $ref: `#/$defs/a${index + 1}` }]))
  const properties = Object.fromEntries(names.map((index) => [`p${index}`, { $ref: `#/$defs/a${index}` }]))
  return { $defs: { ...$defs, [`a${length}`]: { type: 'string' } }, properties }
}

describe('schemas that would hold up everybody else', () => {
  it.each([
    [
      '4,900 schemas at once with a property each',
      { allOf: Array.from({ length: 4_900 }, (_, index) => ({ properties: { [`p${index}`]: { type: 'null' } } })) },
      'takes too many steps to compile',
    ],
    ['1,000 references in a row', chain(1_000), 'leads through more than 256 schemas before a value'],
    [
      'long names above many others',
      nest(200, (inner) => ({ properties: { ['k'.repeat(1_000)]: inner } }), {
        properties: Object.fromEntries(Array.from({ length: 1_000 }, (_, index) => [`p${index}`, { type: 'null' }])),
      }),
      'its names are too long for how deep they stand',
    ],
  ])('%s are refused', (_, schema, reason) => {
    expect(() => compileSchema(schema, { origin })).toThrow(reason)
  })

  it('no clock decides the result of a compilation', () => {
    let now = 0
    // Every reading of a clock is a quarter of an hour later.
    const clocks = [vi.spyOn(performance, 'now'), vi.spyOn(Date, 'now')]
    for (const clock of clocks) clock.mockImplementation(() => (now += 1e6))
    try {
      const { check } = compileSchema({ properties: { a: { type: 'string' } } }, { origin })
      expect(check({ a: 'b' })).toBeUndefined()
      expect(check({ a: 1 })).toMatchObject([{ pointer: '/a' }])
    } finally {
      for (const clock of clocks) clock.mockRestore()
    }
  })

  it('the step limit of a compilation does not limit its result', () => {
    const budget = new CompileBudget(1)
    expect([budget.spend(), budget.spend()]).toEqual([true, false])
    budget.stop()
    expect(budget.spend()).toBe(true)
  })
})

describe('hostile schemas', () => {
  it.each(HOSTILE)('%s', (_, schema, expected) => {
    expect(outcome(schema)).toBe(expected)
  })

  it('of any JSON at all compile or are refused', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 4 }), (schema) => {
        outcome(schema)
      }),
      { seed: 4, numRuns: 500 },
    )
  })

  it('of keywords with any values compile or are refused', () => {
    const keywords = [
      'type',
      '$ref',
      'properties',
      'required',
      'items',
      'prefixItems',
      'enum',
      'const',
      'anyOf',
      'oneOf',
      'allOf',
      'not',
      'if',
      'then',
      'pattern',
      'format',
      'minimum',
      'multipleOf',
      'maxItems',
      'minLength',
      'additionalProperties',
      'patternProperties',
      'propertyNames',
      'dependencies',
      '$defs',
      'nullable',
      'exclusiveMaximum',
      'contains',
      'unevaluatedItems',
    ]
    const { schema } = fc.letrec<{ schema: unknown }>((tie) => ({
      schema: fc.dictionary(
        fc.constantFrom(...keywords),
        fc.oneof(
          { maxDepth: 3 },
          fc.jsonValue({ maxDepth: 1 }),
          fc.constantFrom('#', '#/properties/a', 'string', 'object'),
          tie('schema'),
          fc.array(tie('schema'), { maxLength: 2 }),
          fc.dictionary(fc.constantFrom('a', '__proto__', 'toString'), tie('schema'), {
            maxKeys: 2,
            noNullPrototype: true,
          }),
        ),
        { maxKeys: 4, noNullPrototype: true },
      ),
    }))
    const seen = { compiled: 0, refused: 0 }
    fc.assert(
      fc.property(schema, (value) => {
        seen[outcome(JSON.parse(JSON.stringify(value)))] += 1
      }),
      { seed: 5, numRuns: 1000 },
    )
    expect(seen.compiled).toBeGreaterThan(100)
    expect(seen.refused).toBeGreaterThan(100)
  })

  it('of any names and texts match JSON that parses to the same', () => {
    const text = fc.string({ unit: 'binary', maxLength: 12 })
    fc.assert(
      fc.property(fc.uniqueArray(text, { minLength: 1, maxLength: 6 }), text, (names, value) => {
        const properties: unknown = JSON.parse(
          `{${names.map((name) => `${JSON.stringify(name)}:{"const":${JSON.stringify(value)}}`).join()}}`,
        )
        const { grammar, check } = compileSchema(
          { type: 'object', properties, required: names, additionalProperties: { type: 'integer' } },
          { origin },
        )
        const drawn = JSON.parse(createSampler(readGbnf(grammar), seededRandom(names.length))())
        expect(check(drawn)).toBeUndefined()
        for (const name of names) expect(Object.getOwnPropertyDescriptor(drawn, name)?.value).toBe(value)
      }),
      { seed: 6, numRuns: 300 },
    )
  })
})
