// @vitest-environment jsdom
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { splitBlocks } from './blocks.ts'
import { MATHS_CLASSES } from './maths-syntax.ts'
import { renderBlock } from './render-block.ts'

/** The formulas of a text, each with its marks. */
function findMaths(text: string): { readonly inline: string[]; readonly display: string[] } {
  const { blocks, links } = splitBlocks(text)
  const parts = blocks.map((block) => renderBlock(block, links))
  const find = (name: string) =>
    parts.flatMap((part) => Array.from(part.querySelectorAll(`.${name}`), ({ textContent }) => textContent))
  return { inline: find(MATHS_CLASSES.inline), display: find(MATHS_CLASSES.display) }
}

function countMaths(text: string): number {
  const { inline, display } = findMaths(text)
  return inline.length + display.length
}

describe('formulas', () => {
  test.each([
    ['$x$', '$x$'],
    ['Let $x_1*y_2*z$ be', '$x_1*y_2*z$'],
    ['both ($a<b$)', '$a<b$'],
    ['the sum is $5$.', '$5$'],
    ['so $2 \\times 3$ is', '$2 \\times 3$'],
    ['$10^{-3}$ m', '$10^{-3}$'],
    ['a price of $\\$5 + x$', '$\\$5 + x$'],
    ['where \\(a_i = \\text{max}(b)\\) holds', '\\(a_i = \\text{max}(b)\\)'],
    ['**bold $a_b$**', '$a_b$'],
    ['- point $n$', '$n$'],
    ['| a |\n|---|\n| $n$ |', '$n$'],
  ])('stand in a line: %s', (text, formula) => {
    expect(findMaths(text)).toEqual({ inline: [formula], display: [] })
  })

  test.each([
    ['$$\nx = \\frac{a}{b}\n$$', '$$\nx = \\frac{a}{b}\n$$'],
    ['\\[\na \\\\[2pt]\nb\n\\]', '\\[\na \\\\[2pt]\nb\n\\]'],
    ['It is\n\\[ x^2 \\]\nso', '\\[ x^2 \\]'],
    ['It is $$x^2$$, so', '$$x^2$$'],
    ['we get \\[ x^2 \\] so', '\\[ x^2 \\]'],
    ['$$a \\text{ if $b$}$$', '$$a \\text{ if $b$}$$'],
    ['1. First:\n\n   $$\n   x_1*y*z\n   $$', '$$\nx_1*y*z\n$$'],
    [
      '$$\\begin{aligned}\na &= b\\\\\n+ c\n- d\n\\end{aligned}$$',
      '$$\\begin{aligned}\na &= b\\\\\n+ c\n- d\n\\end{aligned}$$',
    ],
  ])('stand apart: %s', (text, formula) => {
    expect(findMaths(text)).toEqual({ inline: [], display: [formula] })
  })

  test.each([
    'It costs $5 and $10.',
    'It costs $5, or 5$ elsewhere.',
    'Between $5-$10, or $5/$6',
    'US$ and A$ are coins',
    'a US$5 or CA$6 note',
    '$20M to spend and 10$ to keep',
    'set $HOME and $PATH, or $HOME/$PATH',
    'escaped \\$5 and \\$6',
    'code `$x$` stays',
    '```\n$x$\n$$y$$\n```',
    'a note \\[1\\] and \\[2\\](not a link)',
    'text \\(see below\\) goes on',
    '$ x $',
    '$$$$',
  ])('are not seen in: %s', (text) => {
    expect(countMaths(text)).toBe(0)
  })

  test.each(['so $x^2 + ', 'so $$x^2 + ', '$$\nx^2 +', 'so \\(x^2', '\\[\nx^2', 'so $x^2\n\nand more $'])(
    'that are not complete stay text: %s',
    (text) => {
      expect(countMaths(text)).toBe(0)
      const shown = splitBlocks(text).blocks.map((block) => renderBlock(block, {}).textContent)
      expect(shown.join('')).toContain('x^2')
    },
  )

  test('never change how a text is cut: the blocks joined are the text', () => {
    const piece = fc.constantFrom(
      '$',
      '$$',
      '\\[',
      '\\]',
      '\\(',
      '\\)',
      'x',
      '\n',
      '\n\n',
      '\\',
      ' ',
      '- ',
      '{',
      '5',
      '`',
    )
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 40 }), (pieces) => {
        expect(splitBlocks(pieces.join('')).blocks.join('')).toBe(pieces.join(''))
      }),
      { numRuns: 500 },
    )
  })

  test.each(['\\[', '\\(', '$$', '$', '$x ', '\\[x', '$$ $'])(
    'are looked for in a time that does not explode: %s',
    (piece) => {
      // A search that explodes does not end within the limit of the test.
      splitBlocks(piece.repeat(20_000))
      renderBlock(piece.repeat(5000), {})
    },
  )
})
