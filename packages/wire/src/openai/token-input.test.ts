import { expect, it } from 'vitest'
import { textsOf } from './token-input.ts'

it.each([
  ['a', ['a']],
  ['', ['']],
  [[], []],
  [
    ['a', 'b'],
    ['a', 'b'],
  ],
  [[1, 2], [[1, 2]]],
  [
    [[1], 'a', []],
    [[1], 'a', []],
  ],
])('%j is so many texts', (value, texts) => {
  expect(textsOf(value)).toEqual(texts)
})
