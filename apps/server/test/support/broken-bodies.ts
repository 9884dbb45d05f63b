import { gzipSync } from 'node:zlib'
import fc from 'fast-check'

/** A body as it goes over the wire. */
export interface WireBody {
  readonly headers: Readonly<Record<string, string>>
  readonly bytes: Buffer
}

const JSON_TYPE = { 'content-type': 'application/json' }

/** Encodes a value as a correct client sends it. */
export function toWire(value: unknown): WireBody {
  return { headers: JSON_TYPE, bytes: Buffer.from(JSON.stringify(value)) }
}

/** JSON text that a value holds verbatim. */
class Verbatim {
  readonly json: string
  constructor(json: string) {
    this.json = json
  }
}

/** Values that nearly no field accepts; no JSON library writes some of them. */
const WRONG: readonly unknown[] = [
  ...[
    null,
    true,
    false,
    0,
    -1,
    0.5,
    1e308,
    -1e308,
    2 ** 31,
    2 ** 53,
    '',
    'nonsense',
    [],
    {},
    [[]],
    [null],
    { a: null },
  ],
  ...['\ud800', '\udfff\ud800', '__proto__', '\u0000', 'x'.repeat(5000), '5', '-1', 'NaN'],
  ...['1e400', '-1e999', '-0', '9007199254740993', `1${'0'.repeat(400)}`, '1.7976931348623157e308', '5e-324'].map(
    (json) => new Verbatim(json),
  ),
  new Verbatim('"\\ud83d"'),
  new Verbatim('{"__proto__":{"polluted":true},"constructor":{"prototype":1}}'),
  nested(40),
  nested(5000),
  Array.from({ length: 300 }, () => 'x'),
  Array.from({ length: 300 }, () => ({})),
  Object.fromEntries(Array.from({ length: 300 }, (_, index) => [`k${index}`, index])),
]

function nested(depth: number): Verbatim {
  return new Verbatim(`${'[{"a":'.repeat(depth)}1${'}]'.repeat(depth)}`)
}

const EXTRA_KEYS = ['__proto__', 'constructor', 'toString', 'model_id', 'backend', 'stream', 'n', 'x\ud800', '']

/** A change at one place of a body. */
type Change =
  | { readonly how: 'replace'; readonly value: unknown }
  | { readonly how: 'remove' | 'double' | 'wrap' | 'repeat' }
  | { readonly how: 'add'; readonly key: string; readonly value: unknown }

const wrong = fc.oneof(fc.constantFrom(...WRONG), fc.jsonValue({ maxDepth: 3 }))
const change: fc.Arbitrary<Change> = fc.oneof(
  { weight: 6, arbitrary: wrong.map((value): Change => ({ how: 'replace', value })) },
  {
    weight: 3,
    arbitrary: fc.constantFrom<Change>({ how: 'remove' }, { how: 'double' }, { how: 'wrap' }, { how: 'repeat' }),
  },
  {
    weight: 1,
    arbitrary: fc
      .tuple(fc.constantFrom(...EXTRA_KEYS), wrong)
      .map(([key, value]): Change => ({ how: 'add', key, value })),
  },
)

/** Members of an object in written order, so that keys can be duplicated. */
class Members {
  readonly entries: (readonly [string, unknown])[]
  constructor(entries: (readonly [string, unknown])[]) {
    this.entries = entries
  }
}

/** Applies one change at the n-th place of a value, counted in the order of its text, modulo the number of places. */
function changed(body: unknown, place: number, what: Change): unknown {
  let left = place % countPlaces(body)
  const visit = (value: unknown): unknown => {
    const isHere = left === 0
    left -= 1
    if (isHere) return apply(value)
    if (Array.isArray(value)) return value.flatMap((item: unknown) => unpack(visit(item)))
    if (typeof value !== 'object' || value === null || value instanceof Verbatim) return value
    return new Members(toEntries(value).flatMap(([key, item]) => unpack(visit(item)).map((one) => [key, one] as const)))
  }
  const apply = (value: unknown): unknown => {
    switch (what.how) {
      case 'replace':
        return what.value
      case 'remove':
        return new Several([])
      case 'double':
        return new Several([value, value])
      case 'repeat':
        return new Several(Array.from({ length: 40 }, () => value))
      case 'wrap':
        return [value]
      case 'add':
        return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Verbatim)
          ? new Members([...toEntries(value), [what.key, what.value]])
          : { [what.key]: what.value }
    }
  }
  return unpack(visit(body))[0]
}

/** Values that replace one value: none, or several. */
class Several {
  readonly values: readonly unknown[]
  constructor(values: readonly unknown[]) {
    this.values = values
  }
}

const unpack = (value: unknown): readonly unknown[] => (value instanceof Several ? value.values : [value])
const toEntries = (value: object): (readonly [string, unknown])[] =>
  value instanceof Members ? value.entries : Object.entries(value)

function countPlaces(value: unknown): number {
  if (Array.isArray(value)) return value.reduce((sum: number, item) => sum + countPlaces(item), 1)
  if (typeof value !== 'object' || value === null || value instanceof Verbatim) return 1
  return toEntries(value).reduce((sum, [, item]) => sum + countPlaces(item), 1)
}

function write(value: unknown): string {
  if (value instanceof Verbatim) return value.json
  if (Array.isArray(value)) return `[${value.map(write).join(',')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null'
  return `{${toEntries(value)
    .map(([key, item]) => `${JSON.stringify(key)}:${write(item)}`)
    .join(',')}}`
}

/** Changes to the bytes; `at` is a share of their length. */
const SPOILS: readonly ((bytes: Buffer, at: number) => Buffer)[] = [
  (bytes, at) => bytes.subarray(0, at),
  (bytes, at) => Buffer.concat([bytes.subarray(0, at), Buffer.from([0xff]), bytes.subarray(at)]),
  (bytes, at) => Buffer.concat([bytes.subarray(0, at), bytes.subarray(at + 1)]),
  (bytes, at) => Buffer.concat([bytes.subarray(0, at), Buffer.from(','), bytes.subarray(at)]),
  (bytes) => Buffer.concat([bytes, bytes]),
  (bytes) => Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), bytes]),
  (bytes) => Buffer.concat([bytes, Buffer.from(' // so it is')]),
  (bytes) => Buffer.from(bytes.toString('latin1').replaceAll('"', "'"), 'latin1'),
  (bytes) => Buffer.from(bytes.toString('utf8'), 'utf16le'),
  (bytes) => gzipSync(bytes),
  () => Buffer.alloc(0),
  () => Buffer.from('null'),
  () => Buffer.from('{}'),
  () => Buffer.from('[]'),
  () => Buffer.from('"text"'),
]

const HEADERS: readonly Readonly<Record<string, string>>[] = [
  {},
  { 'content-type': 'text/plain' },
  { 'content-type': 'application/x-www-form-urlencoded' },
  { 'content-type': 'multipart/form-data; boundary=x' },
  { 'content-type': 'application/json; charset=latin1' },
  { 'content-type': 'application/json; charset="utf-8"' },
  { 'content-type': ';;;' },
  { ...JSON_TYPE, 'content-encoding': 'gzip' },
  { ...JSON_TYPE, 'content-encoding': 'br, gzip' },
]

/** Bodies made from valid ones with one fault: in a value, in the text, or in the headers. */
export function brokenFrom(good: fc.Arbitrary<unknown>): fc.Arbitrary<WireBody> {
  const changes = fc.array(fc.tuple(fc.nat({ max: 400 }), change), { minLength: 1, maxLength: 3 })
  const values = fc.tuple(good, changes).map(([body, all]): WireBody => {
    const value = all.reduce<unknown>((before, [place, what]) => changed(before, place, what), body)
    return { headers: JSON_TYPE, bytes: Buffer.from(write(value)) }
  })
  const texts = fc
    .tuple(good, fc.constantFrom(...SPOILS), fc.double({ min: 0, max: 1, noNaN: true }))
    .map(([body, spoil, share]): WireBody => {
      const { bytes } = toWire(body)
      return { headers: JSON_TYPE, bytes: spoil(bytes, Math.floor(share * bytes.length)) }
    })
  const headers = fc
    .tuple(good, fc.constantFrom(...HEADERS))
    .map(([body, others]): WireBody => ({ ...toWire(body), headers: others }))
  return fc.oneof({ weight: 8, arbitrary: values }, { weight: 2, arbitrary: texts }, { weight: 1, arbitrary: headers })
}
