import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { splitClauses } from './split-clauses.ts'

describe('splitClauses', () => {
  it.each([
    ['one sentence', 'Hello there.', ['Hello there.']],
    ['sentences', 'Hello. How are you? "Fine!" he said.', ['Hello.', 'How are you?', '"Fine!"', 'he said.']],
    ['lines', 'One\nTwo\n\nThree', ['One', 'Two', 'Three']],
    ['titles and single letters', 'Dr. Smith met J. Doe. They spoke.', ['Dr. Smith met J. Doe.', 'They spoke.']],
    ['numbers', 'It is 3.5 m. Then 1,000 more.', ['It is 3.5 m. Then 1,000 more.']],
    ['scripts without spaces', '你好。再见！好', ['你好。', '再见！', '好']],
    ['white space only', ' \n ', []],
  ])('keeps %s together', (_, text, clauses) => {
    expect(splitClauses(text)).toEqual(clauses)
  })

  it('starts with a short clause', () => {
    const text = 'When the evening came at last, they all went home, and then they slept.'
    expect(splitClauses(text)).toEqual(['When the evening came at last,', 'they all went home, and then they slept.'])
  })

  it('cuts a long sentence at commas, else at spaces, else between characters', () => {
    const lengths = { first: 1000, max: 20 }
    expect(splitClauses('one two three, four five six', lengths)).toEqual(['one two three,', 'four five six'])
    expect(splitClauses('one two three four five six', lengths)).toEqual(['one two three four', 'five six'])
    expect(splitClauses('x'.repeat(45), lengths)).toEqual(['x'.repeat(20), 'x'.repeat(20), 'xxxxx'])
    expect(splitClauses(`a${'😀'.repeat(15)}`, lengths)).toEqual([`a${'😀'.repeat(9)}`, '😀'.repeat(6)])
  })

  it('loses nothing but white space, and keeps to the longest length', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...'ab ,.!?;:\n。"\')😀'), maxLength: 400 }), (text) => {
        const clauses = splitClauses(text, { first: 5, max: 40 })
        expect(clauses.join('').replace(/\s/g, '')).toBe(text.replace(/\s/g, ''))
        for (const clause of clauses) expect(clause.length).toBeLessThanOrEqual(40)
      }),
    )
  })

  it('splits a million characters in a short time', () => {
    const started = performance.now()
    expect(splitClauses('ab, cd. '.repeat(120_000)).length).toBeGreaterThan(100_000)
    expect(splitClauses('.'.repeat(1_000_000)).length).toBeGreaterThan(1000)
    expect(performance.now() - started).toBeLessThan(10_000)
  })
})
