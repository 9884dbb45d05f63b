import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { compileGoTemplate, GoTemplateExecError, GoTemplateLimitError, GoTemplateSyntaxError } from '../src/go/index.ts'
import { readRecords, toData } from './go-data.ts'

const limits = { maxSteps: 50_000, maxOutputBytes: 100_000 }

/** Renders, or returns the name of the expected error. Any other error fails the test. */
function attempt(template: string, data: unknown): string {
  try {
    return compileGoTemplate(template, { limits }).render(data)
  } catch (error) {
    if (error instanceof GoTemplateSyntaxError || error instanceof GoTemplateExecError) return error.code
    if (error instanceof GoTemplateLimitError) return error.code
    throw error
  }
}

const record = fc.constantFrom(...readRecords())
const piece = fc.constantFrom(
  ...[
    '{{',
    '}}',
    '{{- ',
    ' -}}',
    '|',
    '(',
    ')',
    '.',
    '$',
    '$x',
    ':=',
    '=',
    ',',
    '"',
    '`',
    "'",
    '\\',
    '/*',
    '*/',
    '\n',
    ' ',
  ],
  ...[
    'range ',
    'if ',
    'else',
    'end',
    'with ',
    'define "t"',
    'template "t" .',
    'block "b" .',
    'break',
    'continue',
    'nil',
    'true',
  ],
  ...[
    '{{end}}',
    '{{else}}',
    '{{else if .n}}',
    '{{break}}',
    '{{range .list}}',
    '{{range $i, $v := .m}}',
    '{{template "t" .}}',
  ],
  ...['.list', '.m', '.nope', '.nul', '-1', '1.5', '0x', '1e', '2i', 'é', '\u0000', '\ud800', '%[1]*d', '99999999999'],
  ...[
    'printf ',
    'index ',
    'repeat ',
    'set . "k" ',
    'deepCopy ',
    'toJson ',
    'fromJson ',
    'regexReplaceAll ',
    'untilStep ',
  ],
)

interface Edit {
  readonly at: number
  readonly remove: number
  readonly insert: string
}

const edit: fc.Arbitrary<Edit> = fc.record({
  at: fc.nat(200),
  remove: fc.nat(6),
  insert: fc.oneof(piece, fc.string({ unit: 'binary', maxLength: 4 })),
})

function applyEdit(template: string, { at, remove, insert }: Edit): string {
  const place = template.length === 0 ? 0 : at % template.length
  return template.slice(0, place) + insert + template.slice(place + remove)
}

describe('any template', () => {
  it('made from a good one by a few edits renders or fails with an error of ours', () => {
    fc.assert(
      fc.property(record, fc.array(edit, { minLength: 1, maxLength: 4 }), (base, edits) => {
        const output = attempt(edits.reduce(applyEdit, base.template), toData(base))
        expect(output.length).toBeLessThanOrEqual(limits.maxOutputBytes)
      }),
      { numRuns: 3000 },
    )
  })

  it('made of pieces renders or fails with an error of ours', () => {
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 30 }), (pieces) => {
        expect(attempt(pieces.join(''), { list: [1, 2], m: { a: 1 }, n: 3n })).toBeTypeOf('string')
      }),
      { numRuns: 3000 },
    )
  })

  it('without actions is its own output', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (text) => {
        fc.pre(!text.includes('{{'))
        expect(attempt(text, {})).toBe(text)
      }),
    )
  })

  it('shows any text of the data unchanged', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (text) => {
        expect(attempt('{{.x}}', { x: text })).toBe(text)
      }),
    )
  })

  it('gives the same output each time', () => {
    fc.assert(
      fc.property(record, (base) => {
        expect(attempt(base.template, toData(base))).toBe(attempt(base.template, toData(base)))
      }),
    )
  })
})
