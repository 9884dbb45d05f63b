import { expect, it } from 'vitest'
import { createVocabulary } from './vocabulary.ts'
import { hashText, measureOverlap, splitWords } from './words.ts'

it.each([
  ['', []],
  ['one', ['one']],
  ['one two\nthree ', ['one', ' two', '\nthree']],
  ['  lead', ['  lead']],
])('splits %j into words', (text, words) => {
  expect(splitWords(text)).toEqual(words)
})

it('hashes the same everywhere', () => {
  expect(hashText('')).toBe(0x811c9dc5)
  expect(hashText('a')).toBe(0xe40c292c)
})

it('measures the share of words that two texts have in common', () => {
  expect(measureOverlap('red apple', 'An apple, red!')).toBe(1)
  expect(measureOverlap('red apple', 'green apple')).toBe(0.5)
  expect(measureOverlap('', 'anything')).toBe(0)
})

it('turns text into ids and back', () => {
  const vocabulary = createVocabulary()
  const text = 'the cat and the hat – 😀 twice 😀'
  const ids = vocabulary.encode(text)
  expect(vocabulary.decode(ids)).toBe(text)
  expect(ids).toEqual(createVocabulary().encode(text))
  expect(ids.every((id) => Number.isInteger(id) && id >= 0 && id < 2 ** 31)).toBe(true)
  expect(vocabulary.decode([1])).toBe('<1>')
})
