import { describe, expect, it } from 'vitest'
import { type CompiledJinja, compileJinja, JinjaLimitError, type JinjaLimits } from '../src/index.ts'

function render(template: string, limits: JinjaLimits = {}, context: Readonly<Record<string, unknown>> = {}): string {
  return compileJinja(template, { limits }).render(context)
}

function findLimit(template: string, limits: JinjaLimits = {}): string {
  try {
    render(template, limits)
  } catch (error) {
    if (error instanceof JinjaLimitError) return /exceeds the limit (\w+)/.exec(error.message)?.[1] ?? error.message
    throw error
  }
  return 'none'
}

describe('at a limit a template passes, one past it fails', () => {
  it.each([
    ['maxSourceLength', 'abc', 'abcd', 3],
    [
      'maxNesting',
      '{% if 1 %}{% if 1 %}{% endif %}{% endif %}',
      `${'{% if 1 %}'.repeat(4)}${'{% endif %}'.repeat(4)}`,
      3,
    ],
    ['maxNesting', '{{ ((1)) }}', '{{ ((((1)))) }}', 3],
    ['maxDepth', '{% if 1 %}{% endif %}', '{% if 1 %}{% if 1 %}{% if 1 %}{% endif %}{% endif %}{% endif %}', 2],
    ['maxTextLength', 'abc', 'abcd', 3],
    ['maxTextLength', "{% set x = 'a' * 3 %}", "{% set x = 'a' * 4 %}", 3],
    ['maxTextLength', "{% set x = 'ab' ~ 'c' %}", "{% set x = 'ab' ~ 'cd' %}", 3],
    ['maxTextLength', "{% set x = 'a'.center(3) %}", "{% set x = 'a'.center(4) %}", 3],
    ['maxTextLength', "{% set x = '%3d' % 1 %}", "{% set x = '%4d' % 1 %}", 3],
    ['maxTextLength', "{% set x = '{:3}'.format(1) %}", "{% set x = '{:4}'.format(1) %}", 3],
    ['maxTextLength', "{% set x = 'ab'|replace('b', 'bb') %}", "{% set x = 'ab'|replace('', 'c') %}", 3],
    ['maxTextLength', "{% set x = ['a', 'b']|join('-') %}", "{% set x = ['a', 'b']|join('--') %}", 3],
    ['maxTextLength', "{% set x = 'a'|tojson %}", "{% set x = 'ab'|tojson %}", 3],
    ['maxTextLength', '{% set x %}abc{% endset %}', '{% set x %}abcd{% endset %}', 3],
    [
      'maxTextLength',
      '{% macro m() %}abc{% endmacro %}{% set x = m() %}',
      '{% macro m() %}abcd{% endmacro %}{{ m() }}',
      3,
    ],
    ['maxRangeLength', '{{ range(3)|length }}', '{{ range(4)|length }}', 3],
    ['maxRangeLength', '{{ range(0, -30, -10)|length }}', '{{ range(0, -31, -10)|length }}', 3],
    ['maxIntegerBits', '{{ 2 ** 59 }}', '{{ 2 ** 60 }}', 60],
    ['maxIntegerBits', '{{ 2 ** 58 * 2 }}', '{{ 2 ** 59 * 2 }}', 60],
    ['maxIntegerBits', '{{ 2 ** 58 + 2 ** 58 }}', '{{ 2 ** 59 + 2 ** 59 }}', 60],
  ] as const)('%s: %s', (limit, passing, failing, most) => {
    expect(findLimit(passing, { [limit]: most })).toBe('none')
    expect(findLimit(failing, { [limit]: most })).toBe(limit)
  })

  it('maxSteps', () => {
    expect(findLimit('{% for x in range(10) %}x{% endfor %}', { maxSteps: 100 })).toBe('none')
    expect(findLimit('{% for x in range(50) %}x{% endfor %}', { maxSteps: 100 })).toBe('maxSteps')
  })

  it('maxDepth of data', () => {
    expect(render('x', { maxDepth: 3 }, { a: { b: {} } })).toBe('x')
    expect(() => render('x', { maxDepth: 3 }, { a: { b: { c: { d: {} } } } })).toThrow(JinjaLimitError)
  })
})

it('is an invalid request with its own code and the line', () => {
  expect(() => render('\n{{ range(10 ** 9) }}')).toThrow(
    expect.objectContaining({ name: 'JinjaLimitError', kind: 'invalid_request', code: 'template_limit', line: 2 }),
  )
})

it('leaves a compiled template usable', () => {
  const template: CompiledJinja = compileJinja('{% for x in range(n) %}x{% endfor %}', { limits: { maxSteps: 100 } })
  expect(() => template.render({ n: 1000 })).toThrow(JinjaLimitError)
  expect(template.render({ n: 3 })).toBe('xxx')
})

const ROUNDS = '{% for i in range(100000) %}'
const END = '{% endfor %}'
/** A text of a million characters, which may be made with 200,000 steps but not be walked often. */
const LONG = "{% set s = 'é' * 1000000 %}"
/** An integer of 14,036 bits. */
const BIG = '{% set n = 7 ** 5000 %}'

describe('templates that would run for ever or fill the memory end', () => {
  it.each([
    ['a long range', '{{ range(10 ** 9) }}'],
    ['loops in loops', `${ROUNDS}${ROUNDS}${END}${END}`],
    ['a repeated text', "{{ 'a' * 10 ** 9 }}"],
    ['a repeated list', '{{ [1] * 10 ** 9 }}'],
    ['a wide text', "{{ 'a'|center(10 ** 9) }}{{ 'a'.ljust(10 ** 30) }}"],
    ['many zeros', "{{ 'a'.zfill(10 ** 9) }}"],
    ['wide tabs', "{{ '\t'.expandtabs(10 ** 9) }}"],
    ['a wide margin', "{{ 'a'|indent(10 ** 9) }}"],
    ['a wide directive', "{{ '%1000000000d' % 1 }}"],
    ['a width of many digits', "{{ ('%' ~ '9' * 400 ~ 'd') % 1 }}"],
    ['a width from an argument', "{{ '%*d' % (10 ** 9, 1) }}"],
    ['a precise directive', "{{ '%.1000000000f' % 1.5 }}"],
    ['a wide field', "{{ '{:1000000000}'.format(1) }}"],
    ['a precise field', "{{ '{:.1000000000f}'.format(1.5) }}"],
    ['a wide field in groups', "{{ '{:016000000,}'.format(1) }}"],
    ['doubling a text', "{% set n = namespace(s='a') %}{% for i in range(99) %}{% set n.s = n.s ~ n.s %}{% endfor %}"],
    ['doubling a list', '{% set n = namespace(l=[1]) %}{% for i in range(99) %}{% set n.l = n.l + n.l %}{% endfor %}'],
    [
      'replacing one by two',
      "{% set n = namespace(s='a') %}{% for i in range(99) %}{% set n.s = n.s|replace('a', 'aa') %}{% endfor %}",
    ],
    ['replacing gaps', "{{ ('a' * 4000)|replace('', 'b' * 5000) }}"],
    ['joining long texts', "{{ (['a' * 4000] * 5000)|join }}"],
    ['wrapping with long separators', "{{ ('a' * 10000)|wordwrap(1, true, 'b' * 10000) }}"],
    ['translating to long texts', "{{ ('a' * 100000).translate({97: 'b' * 100000}) }}"],
    ['lists of lists of lists, printed', `${nested('[n.l, n.l]')}{{ n.l }}`],
    ['lists of lists of lists, as JSON', `${nested('[n.l, n.l]')}{{ n.l|tojson }}`],
    ['lists of lists of lists, pretty', `${nested('[n.l, n.l]')}{{ n.l|pprint }}`],
    ['lists of lists of lists, compared', `${nested('[n.l, n.l]')}${nested('[m.l, m.l]', 'm')}{{ n.l == m.l }}`],
    ['tuples of tuples of tuples, as a key', `${nested('(n.l, n.l)')}{{ {n.l: 1} }}`],
    ['a namespace inside itself', '{% set n = namespace() %}{% set n.n = [n] %}{{ n }}'],
    ['a macro that calls itself', '{% macro m() %}{{ m() }}{% endmacro %}{{ m() }}'],
    ['a macro that calls itself twice', '{% macro m(n) %}{{ m(n - 1) ~ m(n - 1) if n }}{% endmacro %}{{ m(60) }}'],
    ['call blocks without end', '{% macro m() %}{% call m() %}{% endcall %}{{ caller() }}{% endmacro %}{{ m() }}'],
    ['a block that calls itself', '{% block b %}{{ self.b() }}{% endblock %}'],
    ['a loop without end', '{% for x in [1] recursive %}{{ loop([1]) }}{% endfor %}'],
    ['a loop that branches', '{% for x in [1, 2] recursive %}{{ loop([1, 2]) if loop.depth < 50 }}{% endfor %}'],
    [
      'iterators over iterators',
      `{% set n = namespace(g=[1]) %}${ROUNDS}{% set n.g = n.g|map('string') %}${END}{{ n.g|list }}`,
    ],
    ['filling a row', '{{ [1]|batch(10 ** 9, 0)|list }}'],
    ['many columns', '{{ [1]|slice(10 ** 9)|list }}'],
    ['a large integer', '{{ 10 ** 100000 }}'],
    ['a larger one', '{{ 10 ** (10 ** 10) }}'],
    ['squares of squares', '{% set n = namespace(n=3) %}{% for i in range(99) %}{% set n.n = n.n * n.n %}{% endfor %}'],
    ['large integers, raised', `${ROUNDS}{% set x = 7 ** 5000 %}${END}`],
    ['large integers, divided', `${BIG}${ROUNDS}{% set x = n // 7 ** 2500 %}${END}`],
    ['large integers, as floats', `${BIG}${ROUNDS}{% set x = n / 7 ** 4900 %}${END}`],
    ['large integers, printed', `${BIG}${ROUNDS}{% set x = n|string ~ n|tojson ~ '%d' % n %}${END}`],
    ['large integers, read', `{% set s = '9' * 4300 %}${ROUNDS}{% set x = s|int %}${END}`],
    ['long digits, read', `{% set s = '9' * 10000000 %}${ROUNDS}{% set x = s|float %}${END}`],
    ['large integers, rounded', `${BIG}${ROUNDS}{% set x = n|round(-1000) %}${END}`],
    ['small floats, printed', `${ROUNDS}{% set x = '%.1000e' % 1e-300 %}${END}`],
    ['a long joiner', `{% set j = joiner('a' * 1000000) %}${ROUNDS}{{ j() }}${END}`],
    ['filler text', `${ROUNDS}{% set x = lipsum(1000, true, 1000, 1000) %}${END}`],
    ['dates', `${ROUNDS}{% set x = strftime_now('%c%c%c%c') %}${END}`],
    ['many arguments', `{% macro m() %}{{ varargs|length }}{% endmacro %}${ROUNDS}{{ m(*range(1000)) }}${END}`],
    ['many names', `{% set d = dict.fromkeys(range(1000)|map('string')) %}${ROUNDS}{% set x = dict(**d) %}${END}`],
    ['copies of a dict', `{% set d = dict.fromkeys(range(10000)) %}${ROUNDS}{% set x = d.copy() == d %}${END}`],
    ['views of a dict', `{% set d = dict.fromkeys(range(10000)) %}${ROUNDS}{% set x = d.keys() == d.keys() %}${END}`],
    ['searches in a list', `{% set l = range(10000)|list %}${ROUNDS}{% set x = l.index(9999) + l.count(1) %}${END}`],
    ['slices of a list', `{% set l = range(10000)|list %}${ROUNDS}{% set x = l[::-1] %}${END}`],
    ['many matches', "{{ ('a' * 10000000)|replace('a', 'b') }}"],
    ['many parts', "{{ ('a' * 10000000).split('a') }}"],
    ['many lines', "{{ ('\n' * 10000000).splitlines() }}"],
    ['tags without end', "{{ ('<' * 10000000)|striptags }}"],
    ['comments without end', "{{ ('<!--' * 3000000)|striptags }}"],
    [
      'names of attributes',
      `{% set p = 'a.' * 100000 %}${ROUNDS}{% set x = [{}]|map(attribute=p, default={})|list %}${END}`,
    ],
  ])(
    '%s',
    (_name, template) => {
      expect(() => render(template, { maxSteps: 1_000_000 })).toThrow(JinjaLimitError)
    },
    60_000,
  )

  it.each([
    's|upper',
    's|length',
    's is sequence and s is lower',
    's|first',
    's[5] ~ s[-1:]',
    's.center(3)',
    's.title()',
    's.swapcase()',
    's|title',
    's|capitalize',
    's.isalpha()',
    's.find("x")',
    's.count("x")',
    's.split()',
    's.strip("é")',
    's|truncate(3)',
    's|wordwrap',
    's|wordcount',
    's|e',
    's|urlencode',
    's|tojson',
    '{"a": s}|xmlattr',
    's|indent',
    's|reverse',
    's|list',
    's|sort',
    's|unique|list',
    's == s ~ ""',
    's < s',
    '[s]|sort',
    '[s]|unique|list',
    '[s, s]|max',
    '[{"a": s}]|groupby("a")',
    '{s: 1}|dictsort',
    '{s: 1}[s]',
    's in {}',
    '"x" in s',
    's.encode()',
    's.encode()|string',
    's|safe + s',
    's|safe ~ s',
    '"%s" % s',
    '"%r" % s',
    '"{:5}".format(s)',
    's.format()',
    's % ()',
    's.replace("x", "y")',
    's.translate({})',
    's.expandtabs()',
    's.splitlines()',
    's|int',
    's|pprint',
    '[s]|string',
    's.rsplit("é" * 100)',
    's|map("upper")|list',
  ])(
    'a long text again and again: %s',
    (expression) => {
      const template = `${LONG}${ROUNDS}{% set x = ${expression} %}${END}`
      expect(findLimit(template, { maxSteps: 200_000 })).toBe('maxSteps')
    },
    60_000,
  )
})

describe('sources made to be slow to read are refused or read', () => {
  const many = 50_000

  it.each([
    ['parentheses', `{{ ${'('.repeat(many)}1${')'.repeat(many)} }}`],
    ['lists', `{{ ${'['.repeat(many)}${']'.repeat(many)} }}`],
    ['dicts', `{{ ${'{1:'.repeat(many)} }}`],
    ['negations', `{{ ${'not '.repeat(many)}1 }}`],
    ['signs', `{{ ${'-'.repeat(many)}1 }}`],
    ['sums', `{{ 1${'+1'.repeat(many)} }}`],
    ['powers', `{{ 1${'**1'.repeat(many)} }}`],
    ['conjunctions', `{{ 1${' and 1'.repeat(many)} }}`],
    ['conditions', `{{ 1${' if 1 else 1'.repeat(many)} }}`],
    ['attributes', `{{ a${'.a'.repeat(many)} }}`],
    ['calls', `{{ a${'()'.repeat(many)} }}`],
    ['filters', `{{ a${'|e'.repeat(many)} }}`],
    ['tags', '{% if 1 %}'.repeat(many)],
    ['targets', `{% set ${'('.repeat(many)}a${')'.repeat(many)} = 1 %}`],
    ['filters of a block', `{% filter e${'|e'.repeat(many)} %}{% endfilter %}`],
  ])('nested %s', (_name, template) => {
    expect(findLimit(template)).toBe('maxNesting')
  })

  it('a source that is too long', () => {
    expect(findLimit('a'.repeat(1_048_577))).toBe('maxSourceLength')
  })

  it.each([
    ['comments that open again and again', '{#'.repeat(many), 'JinjaSyntaxError'],
    ['raw blocks that open again and again', '{% raw %}'.repeat(many), 'JinjaSyntaxError'],
    ['ends of raw blocks that are none', `{% raw %}${'{% endra'.repeat(many)}`, 'JinjaSyntaxError'],
    ['strings without end', `{{ "${'\\'.repeat(many + 1)}`, 'JinjaSyntaxError'],
    ['an integer of many digits', `{{ ${'9'.repeat(many)} }}`, 'JinjaSyntaxError'],
  ])('%s', (_name, template, name) => {
    expect(() => compileJinja(template)).toThrow(expect.objectContaining({ name }))
  })

  it.each([
    ['blanks before tags', `${' '.repeat(1000)}{% if 1 %}${' '.repeat(1000)}{% endif %}`.repeat(100), ''],
    ['many branches', `{% if 0 %}${'{% elif 0 %}'.repeat(10_000)}{% endif %}`, ''],
    ['many variables', Array.from({ length: 10_000 }, (_, index) => `{% set a${index} = 1 %}`).join(''), ''],
    ['many lines', '{{ 1 }}\n'.repeat(10_000), `${'1\n'.repeat(9999)}1\n`],
  ])('%s', (_name, template, output) => {
    expect(render(template).replaceAll(' ', '')).toBe(output.replace(/\n$/, ''))
  })
})

/** A namespace whose list was nested into itself 60 times. */
function nested(expression: string, name = 'n'): string {
  return `{% set ${name} = namespace(l=(1,)) %}{% for i in range(60) %}{% set ${name}.l = ${expression} %}{% endfor %}`
}
