import fc from 'fast-check'
import { describe, expect, it, vi } from 'vitest'
import { openSchema } from '../schema/schema-document.ts'
import { surveySchema } from '../schema/survey-schema.ts'
import { createCheck, type ValueCheck } from './create-check.ts'

function compileCheck(schema: unknown): ValueCheck {
  const place = openSchema(schema, { param: 'schema' })
  return createCheck(place, surveySchema(place))
}

/** Schema, valid values, invalid values. */
const CASES: readonly (readonly [
  name: string,
  schema: unknown,
  right: readonly unknown[],
  wrong: readonly unknown[],
])[] = [
  ['true', true, [1, null], []],
  ['false', false, [], [1, null]],
  ['type', { type: 'integer' }, [1, 1.0, -0], [1.5, '1', null, [], {}]],
  ['type of a number', { type: ['number', 'null'] }, [1, 1.5, null], ['1', false]],
  ['nullable', { type: 'string', nullable: true }, [null, 'a'], [1]],
  ['enum', { enum: [1, 'a', [{ b: null }]] }, [1, 'a', [{ b: null }]], ['1', [{ b: 0 }], [{}]]],
  ['const', { const: { a: 1, b: [] } }, [{ b: [], a: 1 }], [{ a: 1 }, { a: 1, b: {} }]],
  ['bounds', { minimum: 1, exclusiveMaximum: 2 }, [1, 1.9, 'x'], [0.9, 2]],
  [
    'the tighter of two bounds',
    { minimum: 1, exclusiveMinimum: 1, maximum: 9, exclusiveMaximum: 10 },
    [1.1, 9],
    [1, 9.5],
  ],
  ['multipleOf', { multipleOf: 0.01 }, [0.07, 19.99, 1e6, 4], [0.075, 1e-3]],
  ['multipleOf of large numbers', { multipleOf: 2.5 }, [5e15], [-9003530010015351, 1]],
  ['lengths', { minLength: 2, maxLength: 3 }, ['ab', '😀😀😀', 5], ['a', 'abcd']],
  ['pattern', { pattern: '^\\p{L}+$' }, ['äb'], ['a1', '']],
  ['format date', { format: 'date' }, ['2024-02-29', 5], ['2023-02-29', '2024-2-1', '2024-04-31']],
  [
    'format date-time',
    { format: 'date-time' },
    ['2024-02-29T23:59:59.5+01:00', '1985-04-12t23:20:50z'],
    ['2024-02-29', '2024-02-29 10:00:00Z', '2024-01-01T24:00:00Z'],
  ],
  ['format duration', { format: 'duration' }, ['P1Y2M3DT4H5M6S', 'PT5M', 'P3W'], ['P', 'PT', 'P1W2D', '1D']],
  ['format e-mail', { format: 'email' }, ["o'neil+x@a-b.example"], ['a@', '@b.c', 'a b@c.d', 'a@-b.c']],
  ['format host name', { format: 'hostname' }, ['a.b-c.d', 'x'], ['-a', 'a..b', 'a_b', 'x'.repeat(64)]],
  [
    'format addresses',
    { anyOf: [{ format: 'ipv4' }, { format: 'ipv6' }] },
    ['1.2.3.4', '::1', 'fe80::1'],
    ['1.2.3', 'fe80::1%eth0', 'x'],
  ],
  ['unknown formats', { format: 'int32' }, ['anything', 1], []],
  [
    'items',
    { prefixItems: [{ type: 'integer' }], items: { type: 'string' } },
    [[], [1], [1, 'a', 'b']],
    [['a'], [1, 2]],
  ],
  ['older items', { items: [{ type: 'integer' }], additionalItems: false }, [[], [1]], [['a'], [1, 2]]],
  ['counts', { minItems: 1, maxItems: 2 }, [[1], [1, 2]], [[], [1, 2, 3]]],
  [
    'uniqueItems',
    { uniqueItems: true },
    [[1, '1', [1], { a: 1 }, [['a', 1]]]],
    [
      [
        { a: 1, b: 2 },
        { b: 2, a: 1 },
      ],
      [1, 1.0],
    ],
  ],
  [
    'contains',
    { contains: { type: 'integer' }, minContains: 2, maxContains: 3 },
    [
      [1, 2],
      [1, 'a', 2, 3],
    ],
    [[1], [1, 2, 3, 4], []],
  ],
  ['no contains', { contains: true, minContains: 0 }, [[], [1]], []],
  [
    'properties',
    { properties: { a: { type: 'integer' } }, required: ['b'], additionalProperties: { type: 'string' } },
    [{ a: 1, b: 'x' }],
    [{ a: 1 }, { b: 1 }, { a: 'x', b: 'x' }],
  ],
  [
    'patternProperties',
    { patternProperties: { '^x': { type: 'integer' } }, additionalProperties: false },
    [{}, { x1: 1 }],
    [{ x1: 'a' }, { y: 1 }],
  ],
  ['propertyNames', { propertyNames: { maxLength: 2 } }, [{ ab: 1 }], [{ abc: 1 }]],
  ['counts of properties', { minProperties: 1, maxProperties: 2 }, [{ a: 1 }], [{}, { a: 1, b: 2, c: 3 }]],
  ['dependentRequired', { dependentRequired: { a: ['b'] } }, [{}, { b: 1 }, { a: 1, b: 1 }], [{ a: 1 }]],
  ['dependentSchemas', { dependentSchemas: { a: { required: ['c'] } } }, [{ b: 1 }, { a: 1, c: 1 }], [{ a: 1 }]],
  [
    'older dependencies',
    { dependencies: { a: ['b'], c: { maxProperties: 1 } } },
    [{ a: 1, b: 1 }, { c: 1 }],
    [{ a: 1 }, { c: 1, d: 1 }],
  ],
  [
    'anyOf, oneOf, allOf',
    {
      anyOf: [{ minimum: 5 }, { maximum: 1 }],
      oneOf: [{ multipleOf: 2 }, { multipleOf: 3 }],
      allOf: [{ type: 'integer' }],
    },
    [8, 9, 0 - 2],
    [6, 3, 7, 8.5],
  ],
  ['not', { not: { type: 'string' } }, [1], ['a']],
  // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
  ['if', { if: { type: 'integer' }, then: { minimum: 5 }, else: { type: 'string' } }, [5, 'a'], [4, null, 1.5]],
  [
    'unevaluatedProperties',
    {
      allOf: [{ properties: { a: true } }],
      anyOf: [{ properties: { b: { const: 1 } }, required: ['b'] }, true],
      unevaluatedProperties: false,
    },
    [{ a: 1 }, { a: 1, b: 1 }],
    [{ b: 2 }, { c: 1 }],
  ],
  [
    'unevaluatedItems',
    { prefixItems: [true], contains: { type: 'string' }, unevaluatedItems: false },
    [['a']],
    [['a', 1], [1]],
  ],
  [
    'references',
    { $defs: { n: { properties: { next: { $ref: '#/$defs/n' } }, additionalProperties: false } }, $ref: '#/$defs/n' },
    [{}, { next: { next: {} } }],
    [{ next: { x: 1 } }],
  ],
  [
    'names of every object',
    { properties: { constructor: { type: 'integer' } }, required: ['toString'] },
    [{ toString: 1 }],
    [{}, { toString: 1, constructor: 'x' }],
  ],
  [
    '__proto__',
    JSON.parse('{"properties":{"__proto__":{"type":"integer"}},"required":["__proto__"],"additionalProperties":false}'),
    [JSON.parse('{"__proto__":1}')],
    [{}, JSON.parse('{"__proto__":"a"}')],
  ],
]

describe('the check of a value', () => {
  it.each(CASES)('holds %s', (_, schema, right, wrong) => {
    const check = compileCheck(schema)
    expect(right.filter((value) => check(value) !== undefined)).toEqual([])
    expect(wrong.filter((value) => check(value) === undefined)).toEqual([])
  })

  it('names the place and the fault, not the alternatives tried in vain', () => {
    const check = compileCheck({
      properties: {
        'a/b': { type: 'array', items: { anyOf: [{ type: 'integer' }, { type: 'null' }] } },
        c: { minLength: 2 },
      },
    })
    expect(check({ 'a/b': [1, 'x'], c: '' })).toEqual([
      { pointer: '/a~1b/1', reason: 'matches none of `anyOf`' },
      { pointer: '/c', reason: 'must have at least 2 characters' },
    ])
  })

  it('names no more than 16 problems', () => {
    expect(compileCheck({ items: { type: 'string' } })(Array.from({ length: 500 }, () => 1))).toHaveLength(16)
  })

  it('ends for references that lead in a ring, and for values nested without end', () => {
    const ring = compileCheck({ $defs: { a: { $ref: '#/$defs/a' } }, not: { $ref: '#/$defs/a' } })
    expect(ring(1)).toBeUndefined()
    let deep: unknown = []
    for (let depth = 0; depth < 5_000; depth += 1) deep = [deep]
    expect(compileCheck({ items: { $ref: '#' } })(deep)).toMatchObject([
      { reason: expect.stringContaining('too deep') },
    ])
  })

  it('gives up where it would take too long', () => {
    const doubled = { anyOf: [{ $ref: '#/$defs/b' }, { $ref: '#/$defs/b' }] }
    const $defs: Record<string, unknown> = { b: { type: 'string' } }
    for (let level = 0; level < 30; level += 1) {
      const next = { $ref: `#/$defs/l${level - 1}` }
      $defs[`l${level}`] = level === 0 ? doubled : { anyOf: [next, next] }
    }
    expect(compileCheck({ $defs, $ref: '#/$defs/l29' })(1)).toEqual([
      { pointer: '', reason: 'takes too long to check' },
    ])
  })

  it('counts the entries a schema lists: a reply gets the same verdict on every machine', () => {
    const names = Array.from({ length: 10_000 }, (_, index) => `p${index}`)
    const check = compileCheck({ items: { type: 'object', required: names } })
    const many = Array.from({ length: 5_000 }, () => ({}))
    expect(check(many)).toEqual([{ pointer: '', reason: 'takes too long to check' }])
    expect(check(many.slice(0, 5))).toMatchObject([{ pointer: '/0' }, ...Array.from({ length: 15 }, () => ({}))])
    // a clock that jumps changes nothing
    let now = 0
    const clock = vi.spyOn(performance, 'now').mockImplementation(() => (now += 1e6))
    try {
      expect(compileCheck({ items: { type: 'integer' } })(Array.from({ length: 1_000 }, () => 1))).toBeUndefined()
    } finally {
      clock.mockRestore()
    }
  })

  it('accepts only the constant itself', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 3 }), fc.jsonValue({ maxDepth: 3 }), (one, other) => {
        const [a, b] = [JSON.parse(JSON.stringify(one)), JSON.parse(JSON.stringify(other))]
        expect(compileCheck({ const: a })(JSON.parse(JSON.stringify(a)))).toBeUndefined()
        expect(compileCheck({ enum: [a] })(b) === undefined).toBe(compileCheck({ const: b })(a) === undefined)
      }),
      { seed: 9, numRuns: 500 },
    )
  })
})
