import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  chainStages,
  changeWhole,
  MAX_HELD_LENGTH,
  passThrough,
  putBefore,
  removePrefix,
  removeSuffix,
  type TextStage,
  trimBlanks,
} from './text-stage.ts'

/** Joins the results of all calls. */
function feed(stage: TextStage, ...pieces: string[]): string[] {
  return [...pieces.map((piece) => stage.push(piece)), stage.end()]
}

/** Unicode white space, and two characters that only JavaScript or only Unicode counts as white space. */
const BLANKS = '\t\n\v\f\r \u0085\u00a0\u1680\u2000\u2028\u2029\u202f\u205f\u3000'

describe('a lead', () => {
  it('goes with the first piece, or with the end', () => {
    expect(feed(putBefore('> '), 'a', 'b')).toEqual(['> a', 'b', ''])
    expect(feed(putBefore('> '))).toEqual(['> '])
    expect(feed(putBefore(''), 'a')).toEqual(['a', ''])
  })
})

describe('a prefix', () => {
  it('is taken away once, however it is cut up', () => {
    expect(feed(removePrefix('abc'), 'abcabc')).toEqual(['abc', ''])
    expect(feed(removePrefix('abc'), 'a', 'b', 'ca', 'bc')).toEqual(['', '', 'a', 'bc', ''])
  })

  it('is released as soon as it cannot be one', () => {
    expect(feed(removePrefix('abc'), 'a', 'x', 'abc')).toEqual(['', 'ax', 'abc', ''])
    expect(feed(removePrefix('abc'), 'ab')).toEqual(['', 'ab'])
  })
})

describe('a suffix', () => {
  it('is taken away once, however it is cut up', () => {
    expect(feed(removeSuffix('</s>'), 'text</s></s>')).toEqual(['text</s>', ''])
    expect(feed(removeSuffix('</s>'), 'text<', '/s', '>')).toEqual(['text', '', '', ''])
  })

  it('is let go as soon as something else follows', () => {
    expect(feed(removeSuffix('</s>'), 'a<', 'b', '</s>', 'c')).toEqual(['a', '<b', '', '</s>c', ''])
    expect(feed(removeSuffix('</s>'), 'a</s')).toEqual(['a', '</s'])
  })

  it('may repeat itself', () => {
    expect(feed(removeSuffix('aab'), 'aaab', 'x', 'aa')).toEqual(['a', 'aabx', '', 'aa'])
  })

  it('holds back nothing of a text without a beginning of it', () => {
    expect(feed(removeSuffix('</s>'), 'one ', 'two')).toEqual(['one ', 'two', ''])
  })

  it('keeps the two halves of a character together', () => {
    expect(feed(removeSuffix('😀!'), 'a😀', '!')).toEqual(['a', '', ''])
    expect(feed(removeSuffix('😀!'), 'a😁', '!')).toEqual(['a😁', '!', ''])
  })
})

describe('white space at the ends', () => {
  it('is removed at the ends; white space in between waits for the next text', () => {
    expect(feed(trimBlanks(), ' \n', '\ta ', ' ', 'b\n', '\n')).toEqual(['', 'a', '', '  b', '', ''])
  })

  it('follows Unicode', () => {
    for (const blank of BLANKS) expect(feed(trimBlanks(), `${blank}a${blank}`)).toEqual(['a', ''])
    for (const other of ['\u200b', '\ufeff', '\u180e']) expect(feed(trimBlanks(), other)).toEqual([other, ''])
  })

  it('is not held back without end', () => {
    const stage = trimBlanks()
    stage.push('a')
    stage.push(' '.repeat(MAX_HELD_LENGTH))
    expect(() => stage.push(' ')).toThrow(expect.objectContaining({ kind: 'internal', code: 'reply_too_long' }))
  })
})

describe('change of the whole text', () => {
  it('comes at the end', () => {
    expect(
      feed(
        changeWhole((text) => text.toUpperCase()),
        'a',
        'b',
      ),
    ).toEqual(['', '', 'AB'])
  })

  it('is not waited for without end', () => {
    const stage = changeWhole((text) => text)
    stage.push('x'.repeat(MAX_HELD_LENGTH))
    expect(() => stage.push('x')).toThrow(expect.objectContaining({ code: 'reply_too_long' }))
  })
})

describe('stages in a row', () => {
  it('pass text through when there are none', () => {
    expect(chainStages([])).toBe(passThrough)
    expect(feed(passThrough, 'a', '', 'b')).toEqual(['a', '', 'b', ''])
  })

  it('end one after the other', () => {
    const stages = [removeSuffix('</s>'), trimBlanks(), removeSuffix('!'), changeWhole((text) => `${text}.`)]
    expect(feed(chainStages(stages), ' a! ', ' <', '/s>')).toEqual(['', '', '', 'a.'])
  })

  const text = fc.string({ unit: fc.constantFrom('a', 'b', ' ', '\n', '<', '/', '>', '😀'), maxLength: 40 })
  const word = fc.string({ unit: fc.constantFrom('a', 'b', ' ', '<', '/', '😀'), maxLength: 4 })
  const stage = fc.oneof(
    word.map((prefix) => ({
      make: () => removePrefix(prefix),
      whole: (all: string) => (all.startsWith(prefix) ? all.slice(prefix.length) : all),
    })),
    word.map((suffix) => ({
      make: () => removeSuffix(suffix),
      whole: (all: string) => (all.endsWith(suffix) ? all.slice(0, all.length - suffix.length) : all),
    })),
    fc.constant({ make: trimBlanks, whole: (all: string) => all.trim() }),
  )

  it('give the same result for any cuts, and never take back returned text', () => {
    fc.assert(
      fc.property(fc.array(stage, { maxLength: 4 }), fc.array(text, { maxLength: 6 }), (stages, pieces) => {
        const chain = chainStages(stages.map(({ make }) => make()))
        const answers = feed(chain, ...pieces)
        const expected = stages.reduce((all, { whole }) => whole(all), pieces.join(''))
        expect(answers.join('')).toBe(expected)
      }),
      { numRuns: 2000 },
    )
  })
})
