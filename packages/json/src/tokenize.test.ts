import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { JsonError } from './errors.ts'
import { resolveLimits } from './guard.ts'
import { END_MASK, FLAG_ESCAPED, FLAG_LONE_SURROGATE, FLAG_WIDE } from './tape.ts'
import { Tokenizer } from './tokenize.ts'

const encoder = new TextEncoder()

/** The words of the tape, or the message of the error, when `stepBytes` are read at a time. */
function tokenize(bytes: Uint8Array, stepBytes: number): readonly number[] | string {
  const tokenizer = new Tokenizer(bytes, resolveLimits())
  try {
    while (!tokenizer.advance(tokenizer.position + stepBytes));
  } catch (error) {
    if (error instanceof JsonError) return error.message
    throw error
  }
  const { tape } = tokenizer
  return Array.from({ length: tape.length }, (_, index) => [tape.first(index), tape.second(index)]).flat()
}

function toWords(text: string): readonly number[] | string {
  return tokenize(encoder.encode(text), Number.POSITIVE_INFINITY)
}

const fragments = [
  '{',
  '}',
  '[',
  ']',
  ',',
  ':',
  ' ',
  '\n',
  '"a"',
  '"é漢😀"',
  '"\\ud83d\\ude00\\n"',
  '-1.5e3',
  '0',
  'true',
  'null',
  'fal',
]

describe('Tokenizer', () => {
  it('writes scalars as their range, brackets as each other and the number of members', () => {
    expect(toWords(' 12')).toEqual([1, 3])
    expect(toWords('[true,[]]')).toEqual([0, 4, 1, 5, 6, 3, 8, 0, 9, 2])
    expect(toWords('{"a":null}')).toEqual([0, 3, 1, 4, 5, 9, 10, 1])
  })

  it('flags the content of a string', () => {
    const readFlags = (text: string) => Number(toWords(text)[1]) & ~END_MASK
    expect(readFlags('"plain"')).toBe(0)
    expect(readFlags('"é"')).toBe(FLAG_WIDE)
    expect(readFlags('"\\n"')).toBe(FLAG_ESCAPED)
    expect(readFlags('"\\ud83d\\ude00"')).toBe(FLAG_ESCAPED)
    expect(readFlags('"\\ud83d"')).toBe(FLAG_ESCAPED | FLAG_LONE_SURROGATE)
    expect(readFlags('"é\\udc00"')).toBe(FLAG_ESCAPED | FLAG_LONE_SURROGATE | FLAG_WIDE)
  })

  it('tells lone surrogates from pairs at every edge of their ranges', () => {
    const edges = [0x41, 0xd7ff, 0xd800, 0xd801, 0xdbfe, 0xdbff, 0xdc00, 0xdc01, 0xdffe, 0xdfff, 0xe000, 0xffff]
    for (const first of edges) {
      for (const second of edges) {
        const escapes = [first, second].map((unit) => `\\u${unit.toString(16).padStart(4, '0')}`)
        const token = `"${escapes.join('')}"`
        const isLone = /\p{Surrogate}/u.test(String.fromCharCode(first, second))
        expect([token, (Number(toWords(token)[1]) & FLAG_LONE_SURROGATE) !== 0]).toEqual([token, isLone])
      }
    }
  })

  it('forgets the flags of one string before the next', () => {
    expect(toWords('["\\ud800é","a"]')).toEqual([
      0,
      3,
      1,
      11 | FLAG_ESCAPED | FLAG_LONE_SURROGATE | FLAG_WIDE,
      12,
      15,
      16,
      2,
    ])
  })

  it('gives the same tokens or error wherever it stops and goes on', () => {
    const soup = fc.array(fc.constantFrom(...fragments), { maxLength: 14 }).map((parts) => parts.join(''))
    const document = fc.json().map((text) => ` ${text}\n`)
    fc.assert(
      fc.property(fc.oneof(soup, document), fc.integer({ min: 1, max: 9 }), (text, stepBytes) => {
        const bytes = encoder.encode(text)
        expect(tokenize(bytes, stepBytes)).toEqual(tokenize(bytes, Number.POSITIVE_INFINITY))
      }),
      { numRuns: 2000 },
    )
  })

  it('finds the end of a string at every alignment and length', () => {
    const buffer = new ArrayBuffer(64)
    for (let offset = 0; offset < 8; offset++) {
      for (let length = 0; length < 20; length++) {
        for (const special of ['', '\\n', 'é', '\x7f']) {
          const text = `"${'a'.repeat(length)}${special}"`
          const encoded = encoder.encode(text)
          const bytes = new Uint8Array(buffer, offset, encoded.length)
          bytes.set(encoded)
          const words = tokenize(bytes, Number.POSITIVE_INFINITY)
          if (typeof words === 'string') expect.fail(`${text} at ${offset}: ${words}`)
          expect(Number(words[1]) & END_MASK).toBe(encoded.length)
        }
      }
    }
  })

  it('refuses every control character at every place of a word', () => {
    for (let byte = 0; byte < 0x20; byte++) {
      for (let before = 0; before < 9; before++) {
        const text = `"${'~'.repeat(before)}${String.fromCharCode(byte)}~~~~~~~~"`
        expect(toWords(text)).toBe(`invalid JSON at byte ${1 + before}: control character in a string`)
      }
    }
  })

  it('does not read bytes outside its range', () => {
    const around = encoder.encode('["\\u0041",12true]')
    expect(tokenize(around.subarray(1, 7), 99)).toBe('invalid JSON at byte 1: invalid \\u escape in a string')
    expect(tokenize(around.subarray(10, 11), 99)).toEqual([0, 1])
    expect(tokenize(around.subarray(12, 15), 99)).toBe('invalid JSON at byte 0: expected a value')
  })
})

describe('messages', () => {
  it.each([
    ['', 0, 'expected a value'],
    ['[', 1, "expected a value or ']'"],
    ['[1,]', 3, 'expected a value'],
    ['[1 2]', 3, "expected ',' or ']'"],
    ['{1:2}', 1, "expected a string key or '}'"],
    ['{"a":1,}', 7, 'expected a string key'],
    ['{"a" 1}', 5, "expected ':'"],
    ['{"a":1]', 6, "expected ',' or '}'"],
    ['1 x', 2, 'expected the end of the document'],
    ['"abc', 4, 'unterminated string'],
    ['"\\x"', 1, 'invalid escape in a string'],
    ['[01]', 1, 'invalid number'],
    ['tru', 0, 'expected a value'],
  ])('says where and why %j is refused', (text, offset, problem) => {
    expect(toWords(text)).toBe(`invalid JSON at byte ${offset}: ${problem}`)
  })

  it('never hold the content', () => {
    expect(toWords('["secret-token" secret-token]')).not.toContain('secret')
  })
})
