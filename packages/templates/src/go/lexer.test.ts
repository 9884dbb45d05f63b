import { describe, expect, it } from 'vitest'
import { type Token, tokenize } from './lexer.ts'

function kinds(source: string): string {
  return tokenize(source)
    .map((token) => token.kind)
    .join(' ')
}

function texts(source: string): string[] {
  return tokenize(source).map((token) => token.text)
}

function last(source: string): Token | undefined {
  return tokenize(source).at(-1)
}

describe('tokens', () => {
  it('are text, delimiters and the tokens between them', () => {
    expect(tokenize('a{{.x}}b')).toEqual([
      { kind: 'text', text: 'a', line: 1 },
      { kind: 'left', text: '{{', line: 1 },
      { kind: 'field', text: '.x', line: 1 },
      { kind: 'right', text: '}}', line: 1 },
      { kind: 'text', text: 'b', line: 1 },
      { kind: 'eof', text: 'EOF', line: 1 },
    ])
  })

  it.each([
    ['{{if}}', 'left keyword right eof'],
    ['{{nil true x}}', 'left nil space bool space identifier right eof'],
    ['{{$ $x $x.y}}', 'left variable space variable space variable field right eof'],
    ['{{. .x.y}}', 'left dot space field field right eof'],
    [
      '{{1 -1.5 0x1F .5 1e3 2i}}',
      'left number space number space number space number space number space number right eof',
    ],
    ['{{1+2i}}', 'left complex right eof'],
    ['{{"a" `b` \'c\'}}', 'left string space rawString space charConstant right eof'],
    [
      '{{$x := 1 | $y = 2}}',
      'left variable space declare space number space pipe space variable space assign space number right eof',
    ],
    ['{{(f),}}', 'left leftParen identifier rightParen char right eof'],
  ])('of %s', (source, expected) => {
    expect(kinds(source)).toBe(expected)
  })

  it('count lines, also inside comments, texts and strings', () => {
    const tokens = tokenize('a\n{{/*\n*/}}{{`\n` -}}\n\n{{x}}')
    expect(tokens.find((token) => token.text === 'x')?.line).toBe(6)
    expect(tokens.find((token) => token.kind === 'rawString')?.line).toBe(3)
  })
})

describe('trim markers', () => {
  it.each([
    ['a \n{{- 1}}', ['a', '{{', '1', '}}', 'EOF']],
    ['{{1 -}} \r\n\tb', ['{{', '1', '}}', 'b', 'EOF']],
    ['a {{- /* c */ -}} b', ['a', 'b', 'EOF']],
    ['a {{-1}}', ['a ', '{{', '-1', '}}', 'EOF']],
    [' {{- 1 -}} ', ['{{', '1', '}}', 'EOF']],
    ['{{1  -}}', ['{{', '1', ' ', '}}', 'EOF']],
  ])('of %j', (source, expected) => {
    expect(texts(source)).toEqual(expected)
  })

  it('leave other white space alone', () => {
    expect(texts('a\u00a0{{- 1}}')[0]).toBe('a\u00a0')
  })
})

describe('invalid tokens', () => {
  it.each([
    ['{{', 'unclosed action'],
    ['{{/* x', 'unclosed comment'],
    ['{{/* x */ }}', 'comment ends before closing delimiter'],
    ['{{"x}}', 'unterminated quoted string'],
    ['{{"x\n"}}', 'unterminated quoted string'],
    ["{{'x", 'unterminated character constant'],
    ['{{`x', 'unterminated raw quoted string'],
    ['{{(}}', 'unclosed left paren'],
    ['{{)}}', 'unexpected right paren'],
    ['{{1a}}', 'bad number syntax'],
    ['{{1+2}}', 'bad number syntax'],
    ['{{:}}', 'expected :='],
    ['{{.a-b}}', 'bad character U+002D'],
    ['{{\x01}}', 'unrecognized character in action'],
  ])('%j ends in an error', (source, message) => {
    expect(last(source)).toMatchObject({ kind: 'error', text: message })
  })

  it('is told with its line', () => {
    expect(last('a\n\n{{"x')).toMatchObject({ kind: 'error', line: 3 })
  })
})

it('tokenizes a long line in linear time', () => {
  expect(tokenize(`{{print${' 1'.repeat(200_000)}}}`)).toHaveLength(400_004)
})
