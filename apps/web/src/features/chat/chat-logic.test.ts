// @vitest-environment jsdom
import { expect, test } from 'vitest'
import { DEFAULT_SETTINGS } from '../../lib/chat/types.ts'
import { layOutJson } from '../../lib/lay-out-json.ts'
import { joinTexts } from './dictation.tsx'
import { toTokensPerSecond } from './figure-line.tsx'
import { groupByAge } from './group-by-age.ts'
import { readChatSearch } from './search.ts'
import { readNumber, readStops } from './settings-drawer.tsx'

test('wrong search parameters become their defaults', () => {
  expect(readChatSearch({ q: 3, list: 'yes' })).toEqual({})
  expect(readChatSearch({ q: 'x', list: true })).toEqual({ q: 'x', list: true })
})

test('chats are grouped by the days since their last message', () => {
  const now = new Date(2026, 5, 15, 0, 30).getTime()
  const entry = (id: string, updatedAt: number) => ({
    id,
    title: id,
    createdAt: 0,
    updatedAt,
    model: 'm',
    leafId: null,
    bytes: 0,
    settings: DEFAULT_SETTINGS,
  })
  const entries = [
    entry('now', now),
    entry('late', new Date(2026, 5, 14, 23, 59).getTime()),
    entry('week', new Date(2026, 5, 8, 1).getTime()),
    entry('older', new Date(2026, 5, 7, 23).getTime()),
  ]
  const groups = groupByAge(entries, now).map(([group, members]) => [group, members.map(({ id }) => id)])
  expect(groups).toEqual([
    ['today', ['now']],
    ['yesterday', ['late']],
    ['week', ['week']],
    ['older', ['older']],
  ])
})

test('a number outside of its range is wrong, an empty field leaves it to the model', () => {
  const range = { min: 0, max: 2, step: 0.1 }
  expect(['', '0.5', '2', '2.1', '-1', 'x'].map((text) => readNumber(text, range))).toEqual([
    undefined,
    0.5,
    2,
    ...['wrong', 'wrong', 'wrong'],
  ])
  expect(readNumber('1.5', { min: 0, max: 9, step: 1 })).toBe('wrong')
})

test('at most four stop texts are read', () => {
  expect(readStops(' a, ,b,c,d,e')).toEqual(['a', 'b', 'c', 'd'])
})

test('the speed leaves out the first token, and short answers have none', () => {
  expect(toTokensPerSecond({ tokens: 101, streamMs: 2000 })).toBe(50)
  expect(toTokensPerSecond({ tokens: 1, streamMs: 2000 })).toBeUndefined()
  expect(toTokensPerSecond({ tokens: 9 })).toBeUndefined()
})

test('JSON is laid out, other text stays', () => {
  expect(layOutJson('{"a":1}')).toBe('{\n  "a": 1\n}')
  expect(layOutJson('{"a":')).toBe('{"a":')
})

test('a spoken text goes behind what is written', () => {
  expect(joinTexts('', ' Hello. ')).toBe('Hello.')
  expect(joinTexts('Say', 'hello')).toBe('Say hello')
  expect(joinTexts('Say\n', 'hello')).toBe('Say\nhello')
  expect(joinTexts('Say', '  ')).toBe('Say')
})
