import { SvcError } from '@svc/errors'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type NumberedJson, parseJsonKeepingNumbers, TemplateFloat } from './number.ts'

/** The result of `JSON.parse`. */
function toPlain(value: NumberedJson): unknown {
  if (value instanceof TemplateFloat) return value.value
  if (typeof value === 'bigint') return Number(value)
  if (Array.isArray(value)) return value.map(toPlain)
  if (value instanceof Map) return Object.fromEntries([...value].map(([key, item]) => [key, toPlain(item)]))
  return value
}

function outcome(parse: () => unknown): unknown {
  try {
    return { value: parse() }
  } catch (error) {
    if (error instanceof SyntaxError || SvcError.is(error)) return 'refused'
    throw error
  }
}

describe('parseJsonKeepingNumbers', () => {
  it.each<[string, NumberedJson]>([
    ['1', 1],
    ['-1', -1],
    ['-0', 0],
    ['1.0', new TemplateFloat(1)],
    ['-0.0', new TemplateFloat(-0)],
    ['1e2', new TemplateFloat(100)],
    ['1E+2', new TemplateFloat(100)],
    ['2.5e-1', new TemplateFloat(0.25)],
    ['1e999', new TemplateFloat(Number.POSITIVE_INFINITY)],
    ['9007199254740991', 9007199254740991],
    ['9007199254740993', 9007199254740993n],
    ['-12345678901234567890', -12345678901234567890n],
  ])('reads the number %s as it was written', (text, value) => {
    expect(parseJsonKeepingNumbers(text)).toEqual(value)
  })

  it('keeps the order of keys that look like integers, and __proto__ as a key', () => {
    const value = parseJsonKeepingNumbers('{"b":1,"10":2,"9":3,"__proto__":4,"b":5}')
    expect(value).toEqual(
      new Map([
        ['b', 5],
        ['10', 2],
        ['9', 3],
        ['__proto__', 4],
      ]),
    )
    expect(value instanceof Map && [...value.keys()]).toEqual(['b', '10', '9', '__proto__'])
  })

  it('reads escapes, blanks and nesting', () => {
    expect(parseJsonKeepingNumbers(' [ {"a\\n\\ud83d\\ude00" : [ ] , "b":{ }} ,\t"x",true,false,null]\r\n')).toEqual([
      new Map<string, NumberedJson>([
        ['a\n😀', []],
        ['b', new Map()],
      ]),
      'x',
      true,
      false,
      null,
    ])
  })

  it.each(['', ' ', '{', '[1,]', '{"a":1,}', '{"a"}', '{a:1}', '01', '1.', '.5', '1e', '+1', '-', "'a'", '"a', '"\n"'])(
    'refuses %j with the offset',
    (text) => {
      expect(() => parseJsonKeepingNumbers(text)).toThrow(expect.objectContaining({ code: 'json_syntax' }))
    },
  )

  it('takes 128 levels and no more', () => {
    const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth)
    expect(() => parseJsonKeepingNumbers(nested(128))).not.toThrow()
    expect(() => parseJsonKeepingNumbers(nested(129))).toThrow(expect.objectContaining({ code: 'json_limit' }))
    expect(() => parseJsonKeepingNumbers('['.repeat(1_000_000))).toThrow(
      expect.objectContaining({ code: 'json_limit' }),
    )
  })

  it('takes integers of 4,300 digits and no more', () => {
    expect(parseJsonKeepingNumbers('9'.repeat(4300))).toBe(10n ** 4300n - 1n)
    expect(() => parseJsonKeepingNumbers('9'.repeat(4301))).toThrow(expect.objectContaining({ code: 'json_limit' }))
  })

  it('gives the values of JSON.parse for every JSON text', () => {
    fc.assert(
      fc.property(fc.json({ maxDepth: 5 }), (text) => {
        // Negative zero is an integer here, and integers have one zero.
        const plain = JSON.parse(text, (_, value: unknown) => (value === 0 ? 0 : value)) as unknown
        expect(JSON.stringify(toPlain(parseJsonKeepingNumbers(text)))).toBe(JSON.stringify(plain))
      }),
    )
  })

  it('refuses the same texts as JSON.parse', () => {
    const piece = fc.constantFrom(
      '{',
      '}',
      '[',
      ']',
      ',',
      ':',
      '"',
      '"a"',
      '1',
      '-',
      '.',
      'e',
      '0',
      'null',
      'tru',
      ' ',
      '\\',
    )
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
        const text = pieces.join('')
        const ours = outcome(() => parseJsonKeepingNumbers(text))
        expect(ours === 'refused').toBe(outcome(() => JSON.parse(text)) === 'refused')
      }),
      { numRuns: 2000 },
    )
  })
})
