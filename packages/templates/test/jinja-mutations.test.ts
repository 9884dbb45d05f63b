import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  compileJinja,
  JinjaLimitError,
  JinjaRuntimeError,
  JinjaSyntaxError,
  type NumberedJson,
  parseJsonKeepingNumbers,
} from '../src/index.ts'

interface Base {
  readonly template: string
  readonly context: ReadonlyMap<string, NumberedJson>
}

const limits = { maxSteps: 50_000, maxTextLength: 100_000 }
const bases = readBases()

/** Renders, or returns the name of the expected error. Any other error fails the test. */
function attempt(template: string, context: Base['context'] = new Map()): string {
  try {
    return compileJinja(template, { limits }).render(context)
  } catch (error) {
    if (error instanceof JinjaSyntaxError || error instanceof JinjaRuntimeError) return error.code
    if (error instanceof JinjaLimitError) return error.code
    throw error
  }
}

function readBases(): Base[] {
  const lines = readFileSync(new URL('../__fixtures__/chat-templates.jsonl', import.meta.url), 'utf8')
    .trim()
    .split('\n')
  return lines.slice(1).map((line) => {
    const record = parseJsonKeepingNumbers(line)
    if (!(record instanceof Map)) throw new Error('a record is an object')
    const template = record.get('template')
    const input = record.get('input')
    if (typeof template !== 'string' || !(input instanceof Map)) throw new Error('a record has a template and an input')
    return { template, context: input }
  })
}

const record = fc.constantFrom(...bases)
const piece = fc.constantFrom(
  ...[
    '{{ ',
    ' }}',
    '{% ',
    ' %}',
    '{#',
    '#}',
    '{%-',
    '-%}',
    '+%}',
    '|',
    '(',
    ')',
    '[',
    ']',
    '{',
    '}',
    '.',
    ',',
    ':',
    '~',
  ],
  ...['"', "'", '\\', '\n', '\r\n', ' ', '=', '==', '**', '//', '%', '<', '*', '-', '1', '1.', '1e9', '0x', '_', 'é'],
  ...[
    '\0',
    '\ud800',
    '99999999999999999999',
    'none',
    'true',
    'loop',
    'loop.index',
    'self',
    'caller()',
    'x',
    'messages',
  ],
  ...[
    '{% for x in messages %}',
    '{% endfor %}',
    '{% if x %}',
    '{% else %}',
    '{% elif 1 %}',
    '{% endif %}',
    '{% break %}',
  ],
  ...[
    '{% set x = 1 %}',
    '{% set x %}',
    '{% endset %}',
    '{% macro m(x) %}',
    '{% endmacro %}',
    '{{ m(1) }}',
    '{% raw %}',
  ],
  ...['{% call m() %}', '{% endcall %}', '{% filter upper %}', '{% endfilter %}', '{% with x = 1 %}', '{% endwith %}'],
  ...['|tojson', '|join', '|list', '|length', '|sort', '|map("upper")', '|replace("a", "b")', '|indent', '|default(1)'],
  ...[' is defined', ' is none', ' in ', ' not in ', ' and ', ' or ', 'not ', ' if ', ' else ', ' recursive'],
  ...['.split()', '.items()', '["a"]', '[0]', '[::-1]', '* 99999', 'range(99999)', '%9999d', '{:9999}', '.format(1)'],
)

interface Edit {
  readonly at: number
  readonly remove: number
  readonly insert: string
}

const edit: fc.Arbitrary<Edit> = fc.record({
  at: fc.nat(2000),
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
        const output = attempt(edits.reduce(applyEdit, base.template), base.context)
        expect(output.length).toBeLessThanOrEqual(limits.maxTextLength)
      }),
      { numRuns: 3000 },
    )
  })

  it('made of pieces renders or fails with an error of ours', () => {
    const context = new Map<string, NumberedJson>([['messages', [new Map([['role', 'user']])]]])
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 30 }), (pieces) => {
        expect(attempt(pieces.join(''), context)).toBeTypeOf('string')
      }),
      { numRuns: 3000 },
    )
  })

  it('of one expression renders or fails with an error of ours', () => {
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
        expect(attempt(`{{ ${pieces.join('')} }}`)).toBeTypeOf('string')
      }),
      { numRuns: 3000 },
    )
  })

  it('given any data renders or fails with an error of ours', () => {
    const json = fc.json({ maxDepth: 3 }).map((text) => parseJsonKeepingNumbers(text))
    fc.assert(
      fc.property(record, json, fc.nat(), (base, value, index) => {
        const names = [...base.context.keys()]
        const name = names[index % Math.max(1, names.length)] ?? 'messages'
        expect(attempt(base.template, new Map([...base.context, [name, value]]))).toBeTypeOf('string')
      }),
      { numRuns: 2000 },
    )
  })
})

describe('text', () => {
  it('without tags is its own output, but for one line end', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (text) => {
        fc.pre(!/[{][{%#]|[\r\n]/.test(text))
        expect(attempt(text)).toBe(text)
      }),
    )
  })

  it('of the data is shown unchanged, by any way that leaves it alone', () => {
    const ways = [
      '{{ x }}',
      '{{ x|string }}',
      '{{ x ~ "" }}',
      '{{ [x]|join }}',
      '{{ "%s" % x }}',
      '{{ x[::-1]|reverse }}',
    ]
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.constantFrom(...ways), (text, way) => {
        expect(attempt(way, new Map([['x', text]]))).toBe(text)
      }),
      { numRuns: 500 },
    )
  })

  it('written as code reads back the same', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (text) => {
        const code = attempt('{{ [x] }}', new Map([['x', text]]))
        expect(attempt(`{{ ${code}[0] }}`)).toBe(text)
      }),
    )
  })

  it('as JSON reads back the same', () => {
    fc.assert(
      fc.property(fc.json(), (text) => {
        const value = parseJsonKeepingNumbers(text)
        expect(parseJsonKeepingNumbers(attempt('{{ x|tojson }}', new Map([['x', value]])))).toEqual(value)
      }),
    )
  })
})

it('a template gives the same output each time', () => {
  fc.assert(
    fc.property(record, (base) => {
      expect(attempt(base.template, base.context)).toBe(attempt(base.template, base.context))
    }),
  )
})
