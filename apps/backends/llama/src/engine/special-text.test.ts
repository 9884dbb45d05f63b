import { describe, expect, it } from 'vitest'
import { createSpecialText } from './special-text.ts'

const find = createSpecialText(
  ['<|a|>', '<|a', '</s>', '<｜end｜>', 'a|>x'].map((text, id) => ({
    text,
    id,
    stripsLeft: false,
    stripsRight: false,
  })),
)

describe('special texts', () => {
  it.each<[string, (string | number)[][]]>([
    ['no such text', []],
    ['<|a|>', [[0, 5, '<|a|>']]],
    ['x<|a|y', [[1, 4, '<|a']]],
    [
      '<<|a|></s>',
      [
        [1, 6, '<|a|>'],
        [6, 10, '</s>'],
      ],
    ],
    ['<|a|>x', [[0, 5, '<|a|>']]],
    ['ü<｜end｜>', [[1, 8, '<｜end｜>']]],
    ['</s', []],
    ['', []],
  ])('in %j', (text, expected) => {
    expect(find.findAll(text).map(({ start, end, token }) => [start, end, token.text])).toEqual(expected)
    expect(find.isIn(text)).toBe(expected.length > 0)
  })

  it('are found in time that does not depend on how many there are', () => {
    const many = Array.from({ length: 20_000 }, (_, id) => ({
      text: `<|${id}|>`,
      id,
      stripsLeft: false,
      stripsRight: false,
    }))
    const text = `${'<|'.repeat(20_000)}<|19999|>`
    expect(
      createSpecialText(many)
        .findAll(text)
        .map(({ token }) => token.id),
    ).toEqual([19_999])
  })
})
