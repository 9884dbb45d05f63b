import { parseJson } from '@svc/json'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Case, MUST_ACCEPT, MUST_REJECT, toBytes } from './cases.ts'

const DROPPED = new Set(['__proto__', 'constructor', 'prototype'])

/** The verdict of the runtime's own decoder and parser: the value without the dropped keys, or a refusal. */
function nativeOutcome(bytes: Uint8Array): { value: unknown } | 'refused' {
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
    return { value: JSON.parse(text, (key, value: unknown) => (DROPPED.has(key) ? undefined : value)) }
  } catch {
    return 'refused'
  }
}

function ourOutcome(bytes: Uint8Array): { value: unknown } | 'refused' {
  try {
    return { value: parseJson(bytes).root.toValue() }
  } catch (error) {
    expect(error).toMatchObject({ name: 'JsonError', kind: 'invalid_request', code: 'json_syntax' })
    return 'refused'
  }
}

function expectSame(bytes: Uint8Array): void {
  expect(ourOutcome(bytes)).toStrictEqual(nativeOutcome(bytes))
}

const byNames = (cases: Readonly<Record<string, Case>>) => Object.entries(cases)

describe('must accept', () => {
  it.each(byNames(MUST_ACCEPT))('%s', (_, document) => {
    expect(ourOutcome(toBytes(document))).not.toBe('refused')
    expectSame(toBytes(document))
  })
})

describe('must reject', () => {
  it.each(byNames(MUST_REJECT))('%s', (_, document) => {
    expect(ourOutcome(toBytes(document))).toBe('refused')
    expectSame(toBytes(document))
  })

  it('every case inside an array too', () => {
    for (const [name, document] of byNames(MUST_REJECT)) {
      const bytes = Uint8Array.of(0x5b, ...toBytes(document), 0x5d)
      if (ourOutcome(bytes) === 'refused' && nativeOutcome(bytes) === 'refused') continue
      expect([name, ourOutcome(bytes)]).toStrictEqual([name, nativeOutcome(bytes)])
    }
  })
})

const FRAGMENTS = [
  ...['{', '}', '[', ']', ',', ':', ' ', '\n', '"', '\\', '/', '"a"', '"a":', '"é"', '"\\u00e9"', '"\\ud800"', '\\u12'],
  ...[
    '0',
    '1',
    '-',
    '-0',
    '12',
    '.',
    '.5',
    'e',
    'E+',
    'e-1',
    '1e9',
    'true',
    'false',
    'null',
    't',
    'nul',
    '\u0001',
    '漢',
  ],
  ...['"__proto__":', '\ufeff', '{}', '[]', ',"b":[', '"😀"', '\\ud83d\\ude00'],
]

const fragmentBytes = fc.oneof(
  { weight: 20, arbitrary: fc.constantFrom(...FRAGMENTS).map(toBytes) },
  { weight: 1, arbitrary: fc.uint8Array({ minLength: 1, maxLength: 4 }) },
)

const soup = fc
  .array(fragmentBytes, { maxLength: 12 })
  .map((parts) => Uint8Array.from(parts.flatMap((part) => [...part])))

const document = fc
  .tuple(fc.jsonValue({ stringUnit: 'binary', maxDepth: 4 }), fc.constantFrom(undefined, 1, '\t', ' \n\r'))
  .map(([value, indent]) => toBytes(JSON.stringify(value, undefined, indent)))

interface Mutation {
  readonly at: number
  readonly removed: number
  readonly inserted: Uint8Array
}

const mutation: fc.Arbitrary<Mutation> = fc.record({
  at: fc.nat(),
  removed: fc.nat(2),
  inserted: fc.oneof(fc.constant(new Uint8Array()), fragmentBytes),
})

function mutate(bytes: Uint8Array, { at, removed, inserted }: Mutation): Uint8Array {
  const offset = at % (bytes.length + 1)
  return Uint8Array.from([...bytes.subarray(0, offset), ...inserted, ...bytes.subarray(offset + removed)])
}

describe('verdict and value are those of JSON.parse after a fatal decoder', () => {
  it('on documents', () => {
    fc.assert(
      fc.property(document, (bytes) => {
        expect(ourOutcome(bytes)).not.toBe('refused')
        expectSame(bytes)
      }),
      { numRuns: 2000 },
    )
  })

  it('on documents with bytes changed, inserted, removed', () => {
    fc.assert(
      fc.property(document, fc.array(mutation, { minLength: 1, maxLength: 3 }), (bytes, mutations) => {
        expectSame(mutations.reduce(mutate, bytes))
      }),
      { numRuns: 5000 },
    )
  })

  it('on documents cut off at every byte', () => {
    fc.assert(
      fc.property(document, (bytes) => {
        for (let length = 0; length < Math.min(bytes.length, 200); length++) expectSame(bytes.subarray(0, length))
      }),
      { numRuns: 100 },
    )
  })

  it('on soups of fragments', () => {
    fc.assert(fc.property(soup, expectSame), { numRuns: 20_000 })
  })

  it('on strings of any bytes', () => {
    const inside = fc.oneof(
      fc.uint8Array({ maxLength: 8 }),
      fc.array(fc.constantFrom(0xc2, 0xe0, 0xed, 0xef, 0xf0, 0xf4, 0x80, 0x90, 0x9f, 0xa0, 0xbf, 0x5c, 0x41), {
        maxLength: 8,
      }),
    )
    fc.assert(
      fc.property(inside, (bytes) => {
        expectSame(Uint8Array.of(0x22, ...bytes, 0x22))
      }),
      { numRuns: 10_000 },
    )
  })

  it('on every single byte and every pair', () => {
    for (let first = 0; first <= 0xff; first++) {
      const alone = Uint8Array.of(first)
      if ((ourOutcome(alone) === 'refused') !== (nativeOutcome(alone) === 'refused')) expect.fail(`byte ${first}`)
      for (let second = 0; second <= 0xff; second++) {
        const bytes = Uint8Array.of(first, second)
        if ((ourOutcome(bytes) === 'refused') !== (nativeOutcome(bytes) === 'refused')) {
          expect.fail(`bytes ${first} ${second}`)
        }
      }
    }
  })
})
