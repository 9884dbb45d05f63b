import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { TemplateFloat } from '../../number.ts'
import { JinjaSyntaxError } from '../errors.ts'
import { tokenize } from './lexer.ts'
import type { Token } from './token.ts'

/** A token in short: its text or value, or its type. */
function show(token: Token): unknown {
  if ('text' in token) return token.type === 'string' ? `"${token.text}"` : token.text
  if ('value' in token) return token.value
  return `<${token.type}>`
}

function tokens(source: string): unknown[] {
  return tokenize(source).map(show)
}

/** The tokens between the marks of one print tag. */
function expression(source: string): unknown[] {
  return tokens(`{{${source}}}`).slice(1, -2)
}

describe('tokenize', () => {
  it('splits text, blocks, prints and comments', () => {
    expect(tokens('a{% if x %}b{{ y }}{# z #}c')).toEqual([
      'a',
      '<block-begin>',
      'if',
      'x',
      '<block-end>',
      'b',
      '<print-begin>',
      'y',
      '<print-end>',
      'c',
      '<end>',
    ])
  })

  it('numbers lines by every kind of line end', () => {
    const lines = tokenize('a\r\n{{ b\r\n}}\r{% c\n%}\n\nd').map(({ type, line }) => [type, line])
    expect(lines).toEqual([
      ['text', 1],
      ['print-begin', 2],
      ['word', 2],
      ['print-end', 3],
      ['text', 3],
      ['block-begin', 4],
      ['word', 4],
      ['block-end', 5],
      ['text', 6],
      ['end', 7],
    ])
  })

  it.each<[string, unknown[]]>([
    ['1 0 007 1_000', [1, 0, 0, 7, 1000]],
    ['0x1F 0o17 0b11 0XfF', [31, 15, 3, 255]],
    ['9007199254740993', [9007199254740993n]],
    ['1.5 1e3 1.5E-3', [new TemplateFloat(1.5), new TemplateFloat(1000), new TemplateFloat(0.0015)]],
    ['1.a 1..2', [1, '.', 'a', 1, '.', '.', 2]],
    ['a.1.2', ['a', '.', 1, '.', 2]],
    [`"a\\n" 'b"' "\\x41"`, ['"a\n"', '"b""', '"A"']],
    ['a_1 _ été not', ['a_1', '_', 'été', 'not']],
    ['a==b!=c>=d<=e//f**g', ['a', '==', 'b', '!=', 'c', '>=', 'd', '<=', 'e', '//', 'f', '**', 'g']],
    ['a|b~c,d:e;f', ['a', '|', 'b', '~', 'c', ',', 'd', ':', 'e', ';', 'f']],
    ['{"a":{}}["%}"]', ['{', '"a"', ':', '{', '}', '}', '[', '"%}"', ']']],
    ['\u00a0a\u2003', ['a']],
  ])('reads the pieces of %s', (source, pieces) => {
    expect(expression(` ${source} `)).toEqual(pieces)
  })

  it.each([
    ['{{ a ) }}', "unexpected ')'", 1],
    ['{{ (a ] }}', "unexpected ']', expected ')'", 1],
    ['\n{{ ? }}', "unexpected char '?' at 4", 2],
    ['{{ "a }}', `unexpected char '"' at 3`, 1],
    ['{{ "\\x4" }}', 'malformed escape in a string', 1],
    ['a\n{# b', 'Missing end of comment tag', 2],
    ['\n\n{% raw %}', 'Missing end of raw directive', 3],
    ['{{ ² }}', "unexpected char '²' at 3", 1],
  ])('refuses %j', (source, message, line) => {
    // An unclosed raw block is only noticed when text follows.
    const attempt = (): unknown => tokenize(source.endsWith('raw %}') ? `${source} ` : source)
    expect(attempt).toThrow(
      expect.objectContaining({ name: 'JinjaSyntaxError', code: 'template_syntax', message, line }),
    )
  })

  it('ends for any source, with its pieces in order of lines', () => {
    const piece = fc.constantFrom(
      '{{',
      '}}',
      '{%',
      '%}',
      '{#',
      '#}',
      '-',
      '+',
      '"',
      'raw',
      'endraw',
      ' ',
      '\n',
      'a',
      '1',
      '(',
    )
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 30 }), (pieces) => {
        try {
          const lines = tokenize(pieces.join('')).map(({ line }) => line)
          expect(lines).toEqual(lines.toSorted((a, b) => a - b))
        } catch (error) {
          if (!(error instanceof JinjaSyntaxError)) throw error
        }
      }),
      { numRuns: 1000 },
    )
  })
})
