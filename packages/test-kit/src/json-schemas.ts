import fc from 'fast-check'

/** JSON Schemas of every kind, as people and programs write them, and hostile ones. */
export interface SchemaArbitraries {
  /** Only keywords that a grammar enforces by itself: every match is valid. */
  readonly exact: fc.Arbitrary<unknown>
  /** Also keywords whose part is checked afterwards, and schemas that may contradict themselves. */
  readonly any: fc.Arbitrary<unknown>
}

const NAMES = [
  'id',
  'name',
  'a b',
  'größe',
  '日本',
  'x"y',
  'back\\slash',
  'new\nline',
  '__proto__',
  'constructor',
  'toString',
  '',
  '0',
]
const TEXTS = ['', 'red', 'green', 'blå', 'a"b', 'c\\d', 'e\nf', '\u0001', '😀', '\ud800', '<tool_call>', '{"a":1}']
const PATTERNS = [
  '^[a-z]{2,8}$',
  '^(foo|bar)-\\d{3}$',
  'b+c?',
  '^[^"\\\\]*$',
  '^\\w+@\\w+\\.com$',
  '^$',
  'é|ü',
  '^[\\d.]+$',
]
const FORMATS = ['date', 'time', 'date-time', 'duration', 'uuid', 'email', 'hostname', 'ipv4', 'ipv6', 'made-up']

const name = fc.constantFrom(...NAMES)
const scalar = fc.oneof(
  fc.constantFrom(...TEXTS),
  fc.integer({ min: -50, max: 5000 }),
  fc.boolean(),
  fc.constant(null),
  fc.double({ noNaN: true, noDefaultInfinity: true, min: -10, max: 10 }),
)
const constant = fc.oneof(
  scalar,
  fc.array(scalar, { maxLength: 2 }),
  fc.dictionary(fc.constantFrom('k', 'l"m'), scalar, { maxKeys: 2 }),
)

function optionalKeys(model: Readonly<Record<string, fc.Arbitrary<unknown>>>): fc.Arbitrary<Record<string, unknown>> {
  return fc.record(model, { requiredKeys: [] })
}

const text = fc.oneof(
  fc.constant({ type: 'string' }),
  fc
    .tuple(fc.nat(6), fc.nat(20))
    .map(([minLength, more]) => ({ type: 'string', minLength, maxLength: minLength + more })),
  fc.constantFrom(...PATTERNS).map((pattern) => ({ type: 'string', pattern })),
  fc.constantFrom(...FORMATS).map((format) => ({ type: 'string', format })),
)

const bound = fc.oneof(
  fc.integer({ min: -2000, max: 2000 }),
  fc.integer({ min: -400, max: 400 }).map((value) => value / 16),
)
const number = fc.oneof(
  fc.constantFrom(
    { type: 'integer' },
    { type: 'number' },
    { type: 'integer', multipleOf: 5 },
    { type: 'number', multipleOf: 0.01 },
  ),
  fc
    .record({
      low: bound,
      span: fc.double({ min: 1, max: 1000, noNaN: true }),
      isOpen: fc.boolean(),
      isWhole: fc.boolean(),
      sides: fc.nat(2),
    })
    .map(({ low, span, isOpen, isWhole, sides }) => ({
      type: isWhole ? 'integer' : 'number',
      ...(sides === 1 ? {} : { [isOpen ? 'exclusiveMinimum' : 'minimum']: low }),
      ...(sides === 2 ? {} : { [isOpen ? 'exclusiveMaximum' : 'maximum']: low + Math.round(span * 100) / 100 + 1 }),
    })),
)

const listed = fc.oneof(
  constant.map((value) => ({ const: value })),
  fc
    .uniqueArray(constant, { minLength: 1, maxLength: 40, selector: (value) => JSON.stringify(value) })
    .map((values) => ({ enum: values })),
)

const leaf = fc.oneof(
  text,
  number,
  listed,
  fc.constantFrom(
    { type: 'boolean' },
    { type: 'null' },
    { type: ['string', 'null'] },
    {},
    true,
    { type: 'object' },
    { type: 'array' },
  ),
)

function createObject(inner: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> {
  return fc
    .record({
      properties: fc.uniqueArray(fc.tuple(name, inner), { maxLength: 6, selector: ([key]) => key }),
      required: fc.array(fc.nat(9), { maxLength: 4 }),
      additional: fc.oneof(fc.constant(undefined), fc.constant(false), inner),
    })
    .map(({ properties, required, additional }) => {
      const names = properties.map(([key]) => key)
      const needed = [...new Set(required.flatMap((index) => names[index] ?? []))]
      return {
        type: 'object',
        // Own keys of any name.
        properties: JSON.parse(
          `{${properties.map(([key, schema]) => `${JSON.stringify(key)}:${JSON.stringify(schema)}`).join()}}`,
        ),
        ...(needed.length === 0 ? {} : { required: needed }),
        ...(additional === undefined ? {} : { additionalProperties: additional }),
      }
    })
}

function createArray(inner: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> {
  return fc
    .record({ items: inner, prefix: fc.array(inner, { maxLength: 3 }), min: fc.nat(3), more: fc.option(fc.nat(4)) })
    .map(({ items, prefix, min, more }) => ({
      type: 'array',
      items,
      ...(prefix.length === 0 ? {} : { prefixItems: prefix }),
      ...(min === 0 ? {} : { minItems: min }),
      ...(more === null ? {} : { maxItems: min + more }),
    }))
}

/** A tree: a list of itself, which ends because a list may be empty, or something else, which ends by itself. */
function recursive(inner: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> {
  return fc.tuple(inner, inner).map(([value, other]) => ({
    $defs: {
      node: {
        type: 'object',
        properties: {
          value,
          children: { type: 'array', items: { $ref: '#/$defs/node' } },
          next: { anyOf: [{ $ref: '#/$defs/node' }, { type: 'null' }] },
        },
        required: ['value'],
        additionalProperties: false,
      },
      other,
    },
    type: 'object',
    properties: { tree: { $ref: '#/$defs/node' }, other: { $ref: '#/$defs/other' } },
    required: ['tree'],
  }))
}

/** A schema whose references were written for its root cannot be put inside of another. */
function atRoot(inner: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> {
  return fc.oneof({ weight: 8, arbitrary: inner }, { weight: 1, arbitrary: recursive(inner) })
}

function nested(
  leaves: fc.Arbitrary<unknown>,
  more: (inner: fc.Arbitrary<unknown>) => readonly fc.Arbitrary<unknown>[],
): fc.Arbitrary<unknown> {
  return fc.letrec<{ schema: unknown }>((tie) => ({
    schema: fc.oneof(
      { maxDepth: 4, withCrossShrink: true },
      leaves,
      createObject(tie('schema')),
      createArray(tie('schema')),
      ...more(tie('schema')),
    ),
  })).schema
}

const checkedAfterwards = optionalKeys({
  not: leaf,
  if: leaf,
  // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
  then: leaf,
  uniqueItems: fc.boolean(),
  contains: leaf,
  minProperties: fc.nat(3),
  maxProperties: fc.nat(4),
  minLength: fc.nat(30),
  maxLength: fc.nat(30),
  pattern: fc.constantFrom(...PATTERNS, '\\bword\\b', '(?i)x', '(?=a)b'),
  multipleOf: fc.constantFrom(3, 7, 0.3, 2.5),
  minimum: fc.double({ noNaN: true, noDefaultInfinity: true }),
  patternProperties: fc.dictionary(fc.constantFrom(...PATTERNS, '^x-'), leaf, { maxKeys: 2 }),
  propertyNames: leaf,
  dependentRequired: fc.dictionary(name, fc.array(name, { maxLength: 2 }), { maxKeys: 2 }),
  unevaluatedProperties: leaf,
  required: fc.uniqueArray(name, { maxLength: 3 }),
  nullable: fc.boolean(),
})

function mergedWith(extra: fc.Arbitrary<Record<string, unknown>>, inner: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> {
  return fc.tuple(inner, extra).map(([schema, more]) => (typeof schema === 'object' ? { ...schema, ...more } : schema))
}

/** The arbitraries; they generate plain JSON. */
export const jsonSchemas: SchemaArbitraries = {
  exact: atRoot(
    nested(leaf, (inner) => [
      fc.array(inner, { minLength: 1, maxLength: 3 }).map((anyOf) => ({ anyOf })),
      inner.map((only) => ({ allOf: [only] })),
    ]),
  ),
  any: atRoot(
    nested(leaf, (inner) => [
      fc.array(inner, { minLength: 1, maxLength: 3 }).map((anyOf) => ({ anyOf })),
      fc.array(inner, { minLength: 1, maxLength: 3 }).map((oneOf) => ({ oneOf })),
      fc.array(inner, { minLength: 1, maxLength: 3 }).map((allOf) => ({ allOf })),
      mergedWith(checkedAfterwards, inner),
    ]),
  ),
}

/** Samples schemas: the same ones for the same seed. */
export function sampleSchemas(arbitrary: fc.Arbitrary<unknown>, count: number, seed = 20_261_121): readonly unknown[] {
  return fc.sample(arbitrary, { numRuns: count, seed }).map((schema): unknown => JSON.parse(JSON.stringify(schema)))
}
