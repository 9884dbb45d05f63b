import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { BlockSplitter, normalizeBreaks, splitBlocks } from './blocks.ts'

/** Pieces of markdown that open, close and continue blocks, and anything else. */
const piece = fc.oneof(
  fc.constantFrom(
    ...['# Title\n', 'text\n', '\n', '\n\n', '- item\n', '  more\n', '1. one\n', '```js\n', '```\n', '    code\n'],
    ...[
      '> quote\n',
      '| a | b |\n',
      '|---|---|\n',
      '***',
      '===\n',
      '---\n',
      '<div>\n',
      '</div>\n',
      '[x]: https://a.test\n',
    ],
    ...['[x]', '\t', ' ', '`', '*', '\\', '&amp;', '![p](q)'],
  ),
  fc.string({ unit: 'grapheme' }),
)
const document = fc.array(piece, { maxLength: 40 }).map((pieces) => normalizeBreaks(pieces.join('')))

describe('splitBlocks', () => {
  test('the blocks joined are the text', () => {
    const check = (text: string) => {
      expect(splitBlocks(text).blocks.join('')).toBe(text)
    }
    fc.assert(fc.property(document, check), { numRuns: 500 })
  })

  test('paragraphs, lists and code are blocks of their own', () => {
    const { blocks } = splitBlocks('# A\n\none\n\n- b\n- c\n\n```js\nx\n\ny\n```\nend')
    expect(blocks).toEqual(['# A\n\n', 'one\n\n', '- b\n- c\n\n', '```js\nx\n\ny\n```\n', 'end'])
  })

  test('definitions of links are found', () => {
    expect(splitBlocks('[x]\n\n[x]: https://a.test').links).toMatchObject({ x: { href: 'https://a.test' } })
  })
})

describe('BlockSplitter', () => {
  test('the blocks joined are the text at every step', () => {
    fc.assert(
      fc.property(document, fc.array(fc.nat({ max: 30 }), { maxLength: 20 }), (text, steps) => {
        const splitter = new BlockSplitter()
        let end = 0
        for (const step of steps) {
          end = Math.min(text.length, end + step)
          expect(splitter.update(text.slice(0, end)).blocks.join('')).toBe(text.slice(0, end))
        }
      }),
      { numRuns: 300 },
    )
  })

  test('a text that grows letter by letter ends in the blocks of the whole', () => {
    const text =
      '# A\n\none *two*\n\n- b\n\n- c\n  - d\n\n```js\nx\n\ny\n```\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\nTitle\n=====\n\nend'
    const splitter = new BlockSplitter()
    for (let end = 1; end < text.length; end++) splitter.update(text.slice(0, end))
    expect(splitter.update(text).blocks).toEqual(splitBlocks(text).blocks)
  })

  test('closed blocks are not read again', () => {
    const splitter = new BlockSplitter()
    const first = splitter.update('one\n\ntwo\n\nthree\n\nfour').blocks
    const second = splitter.update('one\n\ntwo\n\nthree\n\nfour and more').blocks
    expect(second).toEqual([...first.slice(0, 3), 'four and more'])
  })

  test('another text is read from its begin', () => {
    const splitter = new BlockSplitter()
    splitter.update('one\n\ntwo\n\nthree')
    expect(splitter.update('- a\n\n- b').blocks).toEqual(['- a\n\n- b'])
  })
})
