import { SvcError } from '@svc/errors'
import { describe, expect, it } from 'vitest'
import { matchesGbnf, readGbnf } from '../test/gbnf.ts'
import { compileSchema } from './compile-schema.ts'

const origin = { param: 'response_format' }

function accepts(schema: unknown, value: unknown): boolean {
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  return matchesGbnf(readGbnf(compileSchema(schema, { origin }).grammar), text)
}

function refusal(schema: unknown): { readonly message: string; readonly pointer: unknown } {
  try {
    compileSchema(schema, { origin })
  } catch (error) {
    if (!SvcError.is(error)) throw error
    expect(error).toMatchObject({
      kind: 'invalid_request',
      code: 'unsupported_schema',
      details: { param: 'response_format' },
    })
    return { message: error.message, pointer: error.details?.pointer }
  }
  throw new Error('was not refused')
}

/** Schema, matching texts, other texts. */
const CASES: readonly (readonly [name: string, schema: unknown, right: readonly string[], wrong: readonly string[]])[] =
  [
    ['types', { type: ['integer', 'null'] }, ['1', '-20', 'null'], ['1.5', '"1"', '01', 'true']],
    ['nullable', { type: 'string', nullable: true }, ['null', '"a"'], ['1']],
    ['anything', {}, ['1', '[{"a":null}]', '"x"', 'true'], ['x', '']],
    ['nothing but true', { const: true }, ['true'], ['false']],
    ['constants with keys and lists', { const: { a: [1, 'x"'] } }, ['{"a":[1,"x\\""]}'], ['{"a":[1]}']],
    [
      'listed values that hold against the rest',
      { enum: [1, 'a', 'bcd', null], type: 'string', maxLength: 2 },
      ['"a"'],
      ['"bcd"', '1', 'null'],
    ],
    [
      'lengths in code points',
      { type: 'string', minLength: 2, maxLength: 3 },
      ['"ab"', '"😀é"', '"a\\u00e9\\n"'],
      ['"a"', '"abcd"', '"\\ud83d\\ude00x"'],
    ],
    ['patterns from end to end', { type: 'string', pattern: '^a[b-d]+$' }, ['"abcd"'], ['"a"', '"abx"', '"xab"']],
    ['patterns anywhere', { type: 'string', pattern: 'b{2}|^c' }, ['"abba"', '"cx"'], ['"aba"', '"xc"']],
    [
      'patterns of escaped characters',
      { type: 'string', pattern: '^["\\\\\\n]{2}$' },
      ['"\\"\\\\"', '"\\n\\n"'],
      ['"""', '"\\t\\t"'],
    ],
    ['a pattern and lengths', { type: 'string', pattern: '^[a-z]+$', maxLength: 3 }, ['"abc"'], ['"abcd"', '""']],
    [
      'dates',
      { type: 'string', format: 'date' },
      ['"2024-02-28"', '"1999-12-31"'],
      ['"2024-02-30"', '"2024-13-01"', '"24-01-01"'],
    ],
    ['addresses', { type: 'string', format: 'ipv4' }, ['"10.0.255.1"'], ['"10.0.256.1"', '"1.2.3"', '"01.2.3.4"']],
    [
      'whole numbers in a range',
      { type: 'integer', minimum: -12, exclusiveMaximum: 105 },
      ['-12', '0', '99', '104'],
      ['-13', '105', '007', '1.0'],
    ],
    [
      'numbers in a range',
      { type: 'number', minimum: 0.25, maximum: 2.5 },
      ['0.25', '0.3', '1', '2.50', '2.499'],
      ['0.2', '0', '2.6', '3', '-1', '.5'],
    ],
    [
      'numbers below zero',
      { type: 'number', minimum: -1.5, exclusiveMaximum: 0 },
      ['-1.5', '-0.001', '-1'],
      ['0', '-0', '-1.51', '1'],
    ],
    ['multiples', { type: 'integer', multipleOf: 7 }, ['0', '7', '-49', '700'], ['8', '-1']],
    ['multiples of decimal steps', { type: 'integer', multipleOf: 2.5 }, ['5', '-10'], ['2', '7']],
    [
      'older exclusive bounds',
      { type: 'integer', minimum: 3, exclusiveMinimum: true, maximum: 5 },
      ['4', '5'],
      ['3', '6'],
    ],
    [
      'lists',
      { type: 'array', items: { type: 'integer' }, minItems: 1, maxItems: 3 },
      ['[1]', '[1, 2,3]'],
      ['[]', '[1,2,3,4]', '["a"]'],
    ],
    [
      'tuples',
      { prefixItems: [{ type: 'integer' }, { type: 'string' }], items: false, minItems: 1 },
      ['[1]', '[1,"a"]'],
      ['[]', '["a"]', '[1,"a",2]'],
    ],
    [
      'older tuples',
      { items: [{ const: 1 }], additionalItems: { const: 2 } },
      ['[]', '[1]', '[1,2,2]'],
      ['[2]', '[1,3]'],
    ],
    [
      'properties in their order',
      { properties: { a: { const: 1 }, b: { const: 2 }, c: { const: 3 } }, required: ['b'] },
      ['{"b":2}', '{"a":1,"b":2}', '{"b":2,"c":3}', '{ "a": 1, "b": 2, "c": 3 }'],
      ['{}', '{"a":1}', '{"c":3,"b":2}', '{"b":2,}', '{,"b":2}'],
    ],
    [
      'optional properties, any of them first',
      { properties: { a: { const: 1 }, b: { const: 2 }, c: { const: 3 } } },
      ['{}', '{"a":1}', '{"b":2}', '{"c":3}', '{"a":1,"c":3}', '{"b":2,"c":3}'],
      ['{"c":3,"a":1}', '{"d":1}'],
    ],
    [
      'other properties, but not listed ones once more',
      { properties: { ab: { const: 1 } }, additionalProperties: { type: 'integer' } },
      ['{"ab":1,"a":5}', '{"abc":5,"":0}', '{"b":7}', '{}'],
      ['{"ab":1,"ab":2}', '{"ab":2}', '{"\\u0061b":2}', '{"x":"y"}'],
    ],
    [
      'maps by pattern',
      { patternProperties: { '^x-': { type: 'integer' } }, additionalProperties: false },
      ['{}', '{"x-a":1}'],
      ['{"a":1}', '{"x-a":"b"}'],
    ],
    [
      'names of properties',
      { propertyNames: { enum: ['a', 'b'] }, additionalProperties: { const: 1 } },
      ['{"a":1,"b":1}'],
      ['{"c":1}'],
    ],
    ['required properties that are not listed', { type: 'object', required: ['x'] }, ['{"x":null}'], ['{}', '{"y":1}']],
    ['no properties at all', { type: 'object', properties: {} }, ['{}'], ['{"a":1}']],
    [
      'at least so many properties',
      { properties: { a: { const: 1 }, b: { const: 2 } }, minProperties: 1 },
      ['{"a":1}', '{"a":1,"b":2}'],
      ['{}'],
    ],
    [
      'names that are special elsewhere',
      JSON.parse('{"properties":{"__proto__":{"const":1},"constructor":{"const":2}},"required":["__proto__"]}'),
      ['{"__proto__":1}', '{"__proto__":1,"constructor":2}'],
      ['{}', '{"constructor":2}'],
    ],
    [
      'alternatives',
      { anyOf: [{ type: 'integer' }, { properties: { a: { const: 1 } }, required: ['a'] }] },
      ['1', '{"a":1}'],
      ['{}', '"a"'],
    ],
    [
      'alternatives beside other keywords',
      {
        properties: { k: { type: 'integer' } },
        required: ['k'],
        oneOf: [{ properties: { k: { minimum: 5 } } }, { properties: { k: { maximum: 3 } } }],
      },
      ['{"k":7}', '{"k":2}'],
      ['{"k":4}', '{}'],
    ],
    [
      'all of several',
      {
        allOf: [
          { properties: { a: { type: 'integer' } }, required: ['a'] },
          { properties: { b: { const: 1 }, a: { maximum: 5 } }, required: ['b'] },
        ],
      },
      ['{"a":5,"b":1}'],
      ['{"a":6,"b":1}', '{"a":1}', '{"b":1}'],
    ],
    [
      'conditions',
      {
        properties: { a: { type: 'boolean' }, b: { const: 1 } },
        required: ['a'],
        if: { properties: { a: { const: true } } },
        // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
        then: { required: ['b'] },
      },
      ['{"a":true,"b":1}', '{"a":false}'],
      ['{"b":1}'],
    ],
    [
      'references',
      { $defs: { 'a/b~c': { type: 'integer' } }, type: 'array', items: { $ref: '#/$defs/a~1b~0c' } },
      ['[1,2]'],
      ['["a"]'],
    ],
    [
      'recursion',
      {
        $defs: { n: { type: 'object', properties: { v: { const: 1 }, next: { $ref: '#/$defs/n' } }, required: ['v'] } },
        $ref: '#/$defs/n',
      },
      ['{"v":1}', '{"v":1,"next":{"v":1,"next":{"v":1}}}'],
      ['{"next":{"v":1}}', '{"v":1,"next":{}}'],
    ],
    [
      'recursion through alternatives',
      {
        $defs: { t: { anyOf: [{ type: 'string' }, { type: 'array', items: { $ref: '#/$defs/t' } }] } },
        $ref: '#/$defs/t',
      },
      ['"a"', '[[],["a",[["b"]]]]'],
      ['1', '[1]'],
    ],
    ['recursion of the whole', { type: 'array', items: { $ref: '#' } }, ['[]', '[[],[[]]]'], ['[1]']],
    [
      'notes',
      { type: 'integer', title: 'T', description: 'D', default: 'x', examples: [1], format: 'int64', $comment: 'c' },
      ['5'],
      ['"x"'],
    ],
  ]

describe('the grammar of a schema', () => {
  it.each(CASES)('holds %s', (_, schema, right, wrong) => {
    expect(right.filter((text) => !accepts(schema, text))).toEqual([])
    expect(wrong.filter((text) => accepts(schema, text))).toEqual([])
    const { check } = compileSchema(schema, { origin })
    for (const text of right) expect(check(JSON.parse(text))).toBeUndefined()
  })

  it('writes named properties first and leaves the others in their order', () => {
    const schema = { properties: { a: { const: 1 }, b: { const: 2 }, c: { const: 3 } }, required: ['a', 'b', 'c'] }
    const { grammar } = compileSchema(schema, { origin, propertiesOrder: ['c', 'x', 'b'] })
    expect(matchesGbnf(readGbnf(grammar), '{"c":3,"b":2,"a":1}')).toBe(true)
    expect(matchesGbnf(readGbnf(grammar), '{"a":1,"b":2,"c":3}')).toBe(false)
  })

  it('needs no more memory than its schema for thousands of values', () => {
    const schema = { enum: Array.from({ length: 5000 }, (_, index) => `value ${index * 7919}`) }
    const { grammar } = compileSchema(schema, { origin })
    expect(matchesGbnf(readGbnf(grammar), JSON.stringify(schema.enum[4321]))).toBe(true)
    expect(matchesGbnf(readGbnf(grammar), '"value 1"')).toBe(false)
  })
})

const REFUSED: readonly (readonly [name: string, schema: unknown, pointer: string, reason: RegExp])[] = [
  ['no schema', 5, '', /expected a schema/],
  ['a part that is not a schema', { properties: { a: 1 } }, '/properties/a', /expected a schema/],
  ['an unknown type', { properties: { a: { type: 'float' } } }, '/properties/a/type', /not a type of JSON/],
  ['a wrong keyword', { items: { minItems: -1 } }, '/items/minItems', /whole number/],
  [
    'nothing that fits',
    { properties: { a: { type: 'string', enum: [1] } }, required: ['a'] },
    '/properties/a',
    /no value can satisfy/,
  ],
  ['false', false, '', /no value can satisfy/],
  ['contradictions', { allOf: [{ type: 'string' }, { type: 'integer' }] }, '/allOf/0', /no value can satisfy/],
  ['bounds that cross', { type: 'array', minItems: 3, maxItems: 2 }, '', /no value can satisfy/],
  ['a reference to itself', { $ref: '#' }, '', /never|again and again/],
  [
    'references in a ring',
    { $defs: { a: { $ref: '#/$defs/b' }, b: { allOf: [{ $ref: '#/$defs/a' }] } }, $ref: '#/$defs/a' },
    '',
    /again and again/,
  ],
  ['recursion that never ends', { properties: { next: { $ref: '#' } }, required: ['next'] }, '', /again and again/],
  ['references elsewhere', { items: { $ref: 'other.json#/a' } }, '/items/$ref', /inside the schema/],
  ['references to nothing', { $ref: '#/$defs/none' }, '/$ref', /leads to nothing/],
  ['references to inherited members', { $ref: '#/constructor' }, '/$ref', /leads to nothing/],
  ['dynamic references', { $dynamicRef: '#a' }, '/$dynamicRef', /not supported/],
  ['look-ahead', { pattern: '^(?=a).*$' }, '/pattern', /linear time/],
  [
    'patterns for names that no grammar holds',
    { patternProperties: { '\\bword\\b': {} } },
    '/patternProperties',
    /cannot be held/,
  ],
  ['counts beyond the engine', { type: 'string', minLength: 100_000 }, '/minLength', /more than 1000/],
  ['a long pattern', { pattern: 'a'.repeat(2000) }, '/pattern', /longer than/],
]

describe('refusals', () => {
  it.each(REFUSED)('name place and reason: %s', (_, schema, pointer, reason) => {
    const refused = refusal(schema)
    expect(refused.pointer).toBe(pointer)
    expect(refused.message).toMatch(reason)
  })

  it('of a recursion name a part of the ring', () => {
    const schema = {
      properties: { a: { $ref: '#/$defs/x' } },
      required: ['a'],
      $defs: { x: { type: 'array', minItems: 1, items: { $ref: '#/$defs/x' } } },
    }
    expect(refusal(schema).pointer).toBe('/$defs/x')
  })
})
