import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createWords, isWordAfter, isWordBefore } from './words.ts'

const around = (text: string, offset: number) => {
  const span = createWords(text).around(offset)
  return span && text.slice(span.start, span.end)
}

describe('a word', () => {
  it.each([
    ['Anne-Marie O’x', 3, 'Anne-Marie'],
    ["D'Arcy x", 0, "D'Arcy"],
    ['J.R.Smith. Then', 2, 'J.R.Smith'],
    ['see J.R.Smith.', 6, 'J.R.Smith'],
    ['Jose\u0301 x', 2, 'Jose\u0301'],
    ['Žižková, ja', 7, 'Žižková'],
    ['a 𝒜𝒷 b', 4, '𝒜𝒷'],
    ['42b', 0, '42b'],
    ['end', 3, 'end'],
    ['end.', 3, 'end'],
  ])('of %j at %i is %j', (text, offset, word) => {
    expect(around(text, offset)).toBe(word)
  })

  it.each([
    ['a  b', 2],
    ['. .', 1],
    ['..a', 1],
    ['', 0],
    ['a,', 2],
  ])('is not in %j at %i', (text, offset) => {
    expect(around(text, offset)).toBeUndefined()
  })
})

it('repeated queries return the same words', () => {
  const text = 'one two three four five six'
  const words = createWords(text)
  for (const offset of [1, 3, 0, 5, 1, 7, 10, 15, 20, 25, 2, 27, 6, 13, 5]) {
    expect(words.around(offset)).toEqual(createWords(text).around(offset))
  }
})

it('a word says how far it is made as a name is, and whether it is one at all', () => {
  const facts = (word: string) => {
    const { nameEnd, isWord } = createWords(word).around(0) ?? {}
    return [nameEnd, isWord]
  }
  expect(['Anne-Marie', "D'e\u0301", 'ab7c', 'J.R', '--', '7'].map(facts)).toEqual([
    [10, true],
    [4, true],
    [2, true],
    [1, true],
    [2, false],
    [0, true],
  ])
})

it('a word lies over an offset just when one begins before it and ends after it', () => {
  const text = fc.array(fc.constantFrom('a', '.', '-', ' ', 'é', '𝒜', '\u0301'), { maxLength: 12 })
  fc.assert(
    fc.property(text, fc.nat(12), (parts, count) => {
      const value = parts.join('')
      const offset = parts.slice(0, count).join('').length
      const word = createWords(value).around(offset)
      const isOver = word !== undefined && word.start < offset && word.end > offset
      expect(isWordBefore(value, offset) && isWordAfter(value, offset)).toBe(isOver)
    }),
  )
})
