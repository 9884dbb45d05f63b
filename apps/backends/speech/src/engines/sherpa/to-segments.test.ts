import { expect, it } from 'vitest'
import { toSegments } from './to-segments.ts'

const heard = (text: string, tokens: readonly string[] = [], timestamps: readonly number[] = []) =>
  ({ text, tokens, timestamps, language: 'en' }) as const
const stretch = { offset: 10, seconds: 5 }

it('joins tokens to words, and words to segments', () => {
  const tokens = ['▁he', 'llo', '▁there', '.', '▁next', ' one']
  const segments = toSegments(heard('hello there. next one', tokens, [0.5, 0.7, 1, 1.2, 1.5, 4]), stretch, true)
  expect(segments.map(({ text, start, end }) => [text, start, end])).toEqual([
    ['hello there.', 10.5, 11.5],
    ['next', 11.5, 11.8],
    ['one', 14, 14.3],
  ])
  expect(segments[0]?.words).toEqual([
    { text: 'hello', start: 10.5, end: 11 },
    { text: 'there.', start: 11, end: 11.5 },
  ])
})

it('leaves words out where they are not wanted', () => {
  expect(toSegments(heard('a b', ['▁a', '▁b'], [0, 1]), stretch, false)[0]?.words).toEqual([])
})

it('writes no spaces between words of scripts without them', () => {
  const [segment] = toSegments(heard('你好吗', ['你', '好', '吗'], [0, 0.3, 0.6]), stretch, true)
  expect([segment?.text, segment?.words.length]).toEqual(['你好吗', 3])
})

it('makes one segment of the stretch where times are missing', () => {
  expect(toSegments(heard(' all of it ', ['a', 'b']), stretch, true)).toEqual([
    { start: 10, end: 15, text: 'all of it', words: [], language: 'en' },
  ])
  expect(toSegments(heard('  '), stretch, true)).toEqual([])
})

it('keeps times in order and inside of the stretch', () => {
  const segments = toSegments(heard('a b c', ['▁a', '▁b', '▁c'], [3, 1, 99]), stretch, true)
  const times = segments.flatMap(({ words }) => words.flatMap(({ start, end }) => [start, end]))
  expect(times).toEqual([13, 13, 13, 13.3, 15, 15])
})
