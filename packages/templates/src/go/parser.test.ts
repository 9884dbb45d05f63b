import { describe, expect, it } from 'vitest'
import type { Body } from './ast.ts'
import { GoTemplateLimitError, GoTemplateSyntaxError } from './errors.ts'
import { parseTemplate } from './parser.ts'

function parse(source: string, maxDepth = 100): Body {
  const options = { name: 'main', maxDepth, hasFunction: (name: string) => ['f', 'g'].includes(name) }
  return parseTemplate(source, options).get('main') ?? []
}

function catchError(source: string): unknown {
  try {
    parse(source)
  } catch (error) {
    return error
  }
  return undefined
}

describe('trees', () => {
  it('keep texts and actions in order', () => {
    expect(parse('a{{.x}}')).toMatchObject([
      { kind: 'text', text: 'a' },
      { kind: 'action', line: 1, pipeline: { commands: [{ operands: [{ kind: 'field', names: ['x'] }] }] } },
    ])
  })

  it('join fields to fields and variables, and chain them to everything else', () => {
    expect(parse('{{$x := 1}}{{f .a.b $x.c (g).d f.e}}')[1]).toMatchObject({
      pipeline: {
        commands: [
          {
            operands: [
              { kind: 'identifier', name: 'f' },
              { kind: 'field', names: ['a', 'b'] },
              { kind: 'variable', name: '$x', names: ['c'] },
              { kind: 'chain', operand: { kind: 'pipeline' }, names: ['d'] },
              { kind: 'chain', operand: { kind: 'identifier' }, names: ['e'] },
            ],
          },
        ],
      },
    })
  })

  it('make one node of a chain of else if', () => {
    expect(parse('{{if 1}}a{{else if 2}}b{{else}}c{{end}}')).toMatchObject([
      {
        kind: 'if',
        branches: [{ body: [{ text: 'a' }] }, { body: [{ text: 'b' }] }],
        otherwise: [{ text: 'c' }],
      },
    ])
  })

  it('tell declarations from assignments', () => {
    expect(parse('{{$x := 1}}{{$x = 2}}{{range $i, $v := .}}{{end}}')).toMatchObject([
      { pipeline: { variables: ['$x'], isAssignment: false } },
      { pipeline: { variables: ['$x'], isAssignment: true } },
      { kind: 'range', pipeline: { variables: ['$i', '$v'], isAssignment: false } },
    ])
  })

  it('leave a call where a block was defined', () => {
    const source = '{{block "b" .x}}in{{end}}'
    expect(parse(source)).toMatchObject([{ kind: 'template', name: 'b', pipeline: { commands: [{}] } }])
    const options = { name: 'main', maxDepth: 10, hasFunction: () => false }
    expect([...parseTemplate(source, options).keys()]).toEqual(['b', 'main'])
  })
})

describe('errors', () => {
  it.each([
    ['\n\n{{nosuch}}', 3, 'function "nosuch" not defined'],
    ['a\n{{if 1}}\n', 2, 'unexpected EOF'],
    ['{{$x}}', 1, 'undefined variable "$x"'],
    ['{{1 | "a"}}', 1, 'non executable command in pipeline stage 2'],
    ['{{if}}{{end}}', 1, 'missing value for if'],
    ['{{"\\q"}}', 1, 'invalid syntax in string'],
    ['\n{{"a', 2, 'unterminated quoted string'],
  ])('%j is refused with its line', (source, line, message) => {
    const error = catchError(source)
    expect(error).toBeInstanceOf(GoTemplateSyntaxError)
    expect(error).toMatchObject({ line, kind: 'invalid_request', code: 'template_syntax', details: { line } })
    expect(error).toHaveProperty('message', `template line ${line}: ${message}`)
  })

  it('quote no more than the beginning of a long word', () => {
    expect(catchError(`{{${'a'.repeat(500)}}}`)).toHaveProperty('message', expect.stringMatching(/^.{1,90}$/))
  })
})

function blocks(depth: number): string {
  const starts = Array.from({ length: depth }, (_, at) => `{{block "b${at}" 1}}`)
  return starts.join('') + '{{end}}'.repeat(depth)
}

describe('nesting', () => {
  it.each([
    ['blocks', (depth: number) => '{{if 1}}'.repeat(depth) + '{{end}}'.repeat(depth)],
    ['parentheses', (depth: number) => `{{${'('.repeat(depth)}1${')'.repeat(depth)}}}`],
    ['definitions', (depth: number) => blocks(depth)],
  ])('of %s is allowed up to the limit', (_, nest) => {
    expect(parse(nest(10), 10)).toHaveLength(1)
    expect(() => parse(nest(11), 10)).toThrow(GoTemplateLimitError)
  })

  it('does not count a chain of else if', () => {
    expect(parse(`{{if 1}}${'{{else if 1}}'.repeat(5000)}{{end}}`, 10)).toHaveLength(1)
  })

  it('does not run out of stack', () => {
    expect(() => parse('{{if 1}}'.repeat(100_000))).toThrow(GoTemplateLimitError)
    expect(() => parse(`{{${'('.repeat(100_000)}`)).toThrow(GoTemplateLimitError)
  })
})
