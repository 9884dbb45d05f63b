import { describe, expect, it } from 'vitest'
import { findFailure, render } from './jinja-render.ts'

describe('case', () => {
  it.each([
    ["{{ 'hELLO wORLD'.upper() ~ 'A'.lower() }}", 'HELLO WORLDa'],
    ["{{ 'hELLO wORLD'.capitalize() }}", 'Hello world'],
    ['{{ "they\'re bill\'s".title() }}', "They'Re Bill'S"],
    ["{{ 'ǆ'.title() ~ 'ß'.title() }}", 'ǅSs'],
    ["{{ 'aBc'.swapcase() }}", 'AbC'],
    ["{{ 'ΑΣ'.lower() ~ 'ΑΣ Β'.lower() }}", 'αςας β'],
    ["{{ 'Straße'.casefold() }}", 'strasse'],
  ])('renders %j', (template, output) => {
    expect(render(template)).toBe(output)
  })
})

describe('strip, prefixes', () => {
  it.each([
    ["{{ '  a  '.strip() ~ '|' ~ '  a  '.lstrip() ~ '|' ~ '  a  '.rstrip() ~ '|' }}", 'a|a  |  a|'],
    ["{{ 'xyaxy'.strip('xy') }}", 'a'],
    ["{{ 'xyaxy'.lstrip('x') }}", 'yaxy'],
    ["{{ 'a\\u3000\\x1c'.strip() }}", 'a'],
    ["{{ 'abc'.removeprefix('a') ~ 'abc'.removesuffix('c') ~ 'abc'.removeprefix('x') }}", 'bcababc'],
  ])('renders %j', (template, output) => {
    expect(render(template)).toBe(output)
  })

  it.each([["{{ 'a'.strip(1) }}", 'TypeError']])('fails on %j with %s', (template, exception) => {
    expect(findFailure(template)).toBe(exception)
  })
})

describe('split and join', () => {
  it.each([
    ["{{ ' a b  c '.split() }}", "['a', 'b', 'c']"],
    ["{{ 'a,b,,c'.split(',') }}", "['a', 'b', '', 'c']"],
    ["{{ 'a,b,c'.split(',', 1) }}", "['a', 'b,c']"],
    ["{{ 'a,b,c'.rsplit(',', 1) }}", "['a,b', 'c']"],
    ["{{ ' a b  c '.split(none, 1) }}", "['a', 'b  c ']"],
    ["{{ ' a b  c '.rsplit(none, 1) }}", "[' a b', 'c']"],
    ["{{ 'a--b--c'.rsplit('--') }}", "['a', 'b', 'c']"],
    ["{{ 'aaa'.rsplit('aa') }}", "['a', '']"],
    ["{{ ''.split() }}", '[]'],
    ["{{ ''.split(',') }}", "['']"],
    ["{{ 'a\\nb\\r\\nc\\x0bd\\u2028e\\n'.splitlines() }}", "['a', 'b', 'c', 'd', 'e']"],
    ["{{ 'a\\nb\\r\\n'.splitlines(true) }}", "['a\\n', 'b\\r\\n']"],
    ["{{ 'a=b=c'.partition('=') }}", "('a', '=', 'b=c')"],
    ["{{ 'a=b=c'.rpartition('=') }}", "('a=b', '=', 'c')"],
    ["{{ 'abc'.partition('x') }}", "('abc', '', '')"],
    ["{{ 'abc'.rpartition('x') }}", "('', '', 'abc')"],
    ["{{ ', '.join(words) }}", 'b, A, c'],
    ["{{ '-'.join('abc') }}", 'a-b-c'],
    ["{{ ','.join(dict) }}", '10,b,a'],
  ])('renders %j', (template, output) => {
    expect(render(template)).toBe(output)
  })

  it.each([
    ["{{ 'abc'.split('') }}", 'ValueError'],
    ["{{ 'abc'.partition('') }}", 'ValueError'],
    ["{{ ','.join([1]) }}", 'TypeError'],
  ])('fails on %j with %s', (template, exception) => {
    expect(findFailure(template)).toBe(exception)
  })
})

describe('find', () => {
  it.each([
    ["{{ 'hello'.find('l') ~ 'hello'.rfind('l') ~ 'hello'.find('x') }}", '23-1'],
    ["{{ emoji.find('b') ~ emoji.rfind('b') }}", '22'],
    ["{{ 'hello'.find('l', 3) ~ 'hello'.find('l', 4) ~ 'hello'.find('l', 0, 2) ~ 'hello'.find('l', -2) }}", '3-1-13'],
    ["{{ 'hello'.index('l') }}", '2'],
    ["{{ 'hello'.count('l') ~ 'aaaa'.count('aa') ~ 'abc'.count('') ~ 'hello'.count('l', 3) }}", '2241'],
    ["{{ 'hello'.startswith('he') and 'hello'.endswith('lo') }}", 'True'],
    ["{{ 'hello'.startswith(('x', 'h')) and 'hello'.startswith('l', 2) }}", 'True'],
    ["{{ 'hello'.startswith('') and ''.startswith('') }}", 'True'],
  ])('renders %j', (template, output) => {
    expect(render(template)).toBe(output)
  })

  it.each([
    ["{{ 'hello'.index('x') }}", 'ValueError'],
    ["{{ 'hello'.rindex('x') }}", 'ValueError'],
    ["{{ 'hello'.startswith(['h']) }}", 'TypeError'],
    ["{{ 'hello'.find(1) }}", 'TypeError'],
  ])('fails on %j with %s', (template, exception) => {
    expect(findFailure(template)).toBe(exception)
  })
})

describe('padding', () => {
  it.each([
    ["{{ 'ab'.center(5) ~ '|' ~ 'ab'.ljust(4) ~ '|' ~ 'ab'.rjust(4, '.') }}", '  ab |ab  |..ab'],
    ["{{ 'abc'.center(6, '*') }}", '*abc**'],
    ["{{ '5'.zfill(3) ~ '-5'.zfill(4) ~ '+5'.zfill(4) ~ ''.zfill(2) }}", '005-005+00500'],
    ["{{ 'a\\tb'.expandtabs() ~ 'a\\tb'.expandtabs(2) ~ 'a\\tb'.expandtabs(0) }}", 'a       ba bab'],
  ])('renders %j', (template, output) => {
    expect(render(template)).toBe(output)
  })

  it.each([["{{ 'ab'.center(5, 'xy') }}", 'TypeError']])('fails on %j with %s', (template, exception) => {
    expect(findFailure(template)).toBe(exception)
  })
})

describe('replace, translate, encode', () => {
  it.each([
    [
      "{{ 'aaa'.replace('a', 'b') ~ 'aaa'.replace('a', 'b', 1) ~ 'ab'.replace('', '-') ~ 'aaa'.replace('a', 'b', -1) }}",
      'bbbbaa-a-b-bbb',
    ],
    ["{{ 'abc'.translate({97: 'x', 98: none, 99: 100}) }}", 'xd'],
    ["{{ 'a'.encode() }}", "b'a'"],
    ["{{ 'ü'.encode('utf-8') }}", "b'\\xc3\\xbc'"],
    ["{{ 'ü'.encode().decode() }}", 'ü'],
  ])('renders %j', (template, output) => {
    expect(render(template)).toBe(output)
  })

  it.each([
    ["{{ 'a'.encode('nope') }}", 'LookupError'],
    ["{{ 'a'.replace(1, 2) }}", 'TypeError'],
    ["{{ 'a'.replace('a') }}", 'TypeError'],
  ])('fails on %j with %s', (template, exception) => {
    expect(findFailure(template)).toBe(exception)
  })
})

describe('classes', () => {
  it.each([
    ["{{ 'abc'.isalpha() and 'ab1'.isalnum() and '12'.isdigit() and not ''.isalpha() }}", 'True'],
    ["{{ '²'.isdigit() and not '²'.isdecimal() and '½'.isnumeric() and not '½'.isdigit() }}", 'True'],
    ["{{ 'AB1'.isupper() and 'ab1'.islower() and not '1'.isupper() }}", 'True'],
    ["{{ 'Hello World'.istitle() and not 'Hello world'.istitle() }}", 'True'],
    ["{{ ' \\t'.isspace() and not ''.isspace() }}", 'True'],
    ["{{ 'abc'.isidentifier() and not '1a'.isidentifier() }}", 'True'],
    ["{{ 'a'.isprintable() and not '\\n'.isprintable() and ''.isprintable() }}", 'True'],
    ["{{ 'a'.isascii() and not 'ü'.isascii() and ''.isascii() }}", 'True'],
  ])('renders %j', (template, output) => {
    expect(render(template)).toBe(output)
  })
})

describe('format', () => {
  it.each([
    ["{{ '{} {}'.format(1, 'a') }}", '1 a'],
    ["{{ '{1} {0} {a}'.format(1, 2, a=3) }}", '2 1 3'],
    ["{{ '{0[a]} {0.a}'.format({'a': 1}) }}", '1 1'],
    ["{{ '{:>5}|{:<5}|{:^5}|{:*^5}'.format(1, 2, 3, 4) }}", '    1|2    |  3  |**4**'],
    ["{{ '{!r:>5}'.format('a') }}", "  'a'"],
    ["{{ '{:{}}|'.format('a', 3) }}", 'a  |'],
    ["{{ '{a}'.format_map({'a': 1}) }}", '1'],
  ])('renders %j', (template, output) => {
    expect(render(template)).toBe(output)
  })

  it.each([
    ["'{{}}'.format()", 'SyntaxError'],
    ["{{ '{}'.format() }}", 'IndexError'],
    ["{{ '{a}'.format() }}", 'KeyError'],
    ["{{ '{'.format() }}", 'ValueError'],
    ["{{ '}'.format() }}", 'ValueError'],
    ["{{ '{0} {}'.format(1) }}", 'ValueError'],
    ["{{ '{!x}'.format(1) }}", 'ValueError'],
    ["{{ '{:d}'.format('a') }}", 'ValueError'],
    ["{{ '{.x.y}'.format(1) }}", 'KeyError'],
  ])('fails on %j with %s', (template, exception) => {
    expect(findFailure(template)).toBe(exception)
  })
})

describe('lists, tuples, dicts, ranges', () => {
  it.each([
    ['{{ list.index(1) ~ list.count(1) ~ list.copy() }}', '11[3, 1, 2]'],
    ['{{ (1, 2, 1).count(1) ~ (1, 2).index(2) }}', '21'],
    ["{{ dict.get('a') ~ dict.get('x') ~ dict.get('x', 5) }}", '1None5'],
    [
      '{{ dict.keys() ~ dict.values() ~ dict.items() }}',
      "dict_keys(['10', 'b', 'a'])dict_values([[1], 2, 1])dict_items([('10', [1]), ('b', 2), ('a', 1)])",
    ],
    ['{{ dict.copy() == dict }}', 'True'],
    ["{{ dict.fromkeys(['a', 'b'], 1) }}", "{'a': 1, 'b': 1}"],
    ["{{ {'items': 1}['items'] }}", '1'],
    ['{{ range(3).index(2) }}', '2'],
    ['{{ range(1, 10, 3) }}', 'range(1, 10, 3)'],
    ['{{ range(3).start ~ range(3).stop ~ range(3).step }}', '031'],
    ['{{ dict.keys()[0] }}', ''],
  ])('renders %j', (template, output) => {
    expect(render(template)).toBe(output)
  })

  it.each([['{{ list.index(9) }}', 'ValueError']])('fails on %j with %s', (template, exception) => {
    expect(findFailure(template)).toBe(exception)
  })
})

describe('numbers', () => {
  it.each([
    ['{{ (5).bit_length() ~ (5).real ~ (5).imag ~ (5).numerator ~ (5).denominator }}', '35051'],
    ['{{ (2.0).is_integer() ~ (2.5).is_integer() }}', 'TrueFalse'],
    ['{{ true.bit_length() }}', '1'],
    ['{{ (5).nope }}', ''],
  ])('renders %j', (template, output) => {
    expect(render(template)).toBe(output)
  })

  it.each([['{{ (5).nope() }}', 'UndefinedError']])('fails on %j with %s', (template, exception) => {
    expect(findFailure(template)).toBe(exception)
  })
})

describe('arguments', () => {
  it.each([["{{ 'a,b'.split(sep=',', maxsplit=1) }}", "['a', 'b']"]])('renders %j', (template, output) => {
    expect(render(template)).toBe(output)
  })

  it.each([
    ["{{ 'a'.upper(1) }}", 'TypeError'],
    ["{{ 'a'.split(',', 1, 2) }}", 'TypeError'],
    ["{{ 'a'.split(nope=1) }}", 'TypeError'],
    ["{{ 'a'.center() }}", 'TypeError'],
    ["{{ 'a'.center(width=3) }}", 'TypeError'],
    ["{{ 'a'.center('3') }}", 'TypeError'],
  ])('fails on %j with %s', (template, exception) => {
    expect(findFailure(template)).toBe(exception)
  })
})
