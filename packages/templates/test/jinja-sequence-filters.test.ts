import { describe, expect, it } from 'vitest'
import { findFailure, render } from './jinja-render.ts'

describe('first, last, length, reverse, list', () => {
  it.each([
    ['{{ list|first }}', '3'],
    ['{{ list|last }}', '2'],
    ['{{ text|first }}', 'H'],
    ['{{ text|last }}', 'd'],
    ['{{ emoji|length }}', '3'],
    ['{{ dict|first }}', '10'],
    ['{{ dict|last }}', 'a'],
    ['{{ list|length }}', '3'],
    ['{{ dict|count }}', '3'],
    ['{{ range(5)|length }}', '5'],
    ['{{ list|reverse|list }}', '[2, 1, 3]'],
    ['{{ emoji|reverse }}', 'b😀a'],
    ['{{ dict|reverse|list }}', "['a', 'b', '10']"],
    ["{{ 'aß😀'|list }}", "['a', 'ß', '😀']"],
    ['{{ dict|list }}', "['10', 'b', 'a']"],
    ['{{ []|first is defined }}', 'False'],
  ])('renders %j', (template, output) => {
    expect(render(template)).toBe(output)
  })

  it.each([
    ['{{ 5|length }}', 'TypeError'],
    ['{{ none|length }}', 'TypeError'],
    ["{{ list|map('string')|length }}", 'TypeError'],
    ['{{ 5|reverse }}', 'FilterArgumentError'],
    ['{{ 5|list }}', 'TypeError'],
    ["{{ list|map('string')|last }}", 'TypeError'],
  ])('fails on %j with %s', (template, exception) => {
    expect(findFailure(template)).toBe(exception)
  })
})

describe('join', () => {
  it.each([
    ['{{ list|join }}', '312'],
    ["{{ list|join(', ') }}", '3, 1, 2'],
    ["{{ users|join(', ', attribute='name') }}", 'Ada, alan, Grace'],
    ["{{ [1, [2, '3'], none]|join('-') }}", "1-[2, '3']-None"],
    ["{{ 'abc'|join('.') }}", 'a.b.c'],
    ["{{ dict|join(',') }}", '10,b,a'],
  ])('renders %j', (template, output) => {
    expect(render(template)).toBe(output)
  })

  it.each([['{{ 5|join }}', 'TypeError']])('fails on %j with %s', (template, exception) => {
    expect(findFailure(template)).toBe(exception)
  })
})

describe('sort, unique', () => {
  it.each([
    ['{{ list|sort }}', '[1, 2, 3]'],
    ['{{ list|sort(reverse=true) }}', '[3, 2, 1]'],
    ['{{ words|sort }}', "['A', 'b', 'c']"],
    ['{{ words|sort(case_sensitive=true) }}', "['A', 'b', 'c']"],
    ['{{ words|sort(true) }}', "['c', 'b', 'A']"],
    ["{{ users|sort(attribute='name')|map(attribute='name')|join(',') }}", 'Ada,alan,Grace'],
    ["{{ users|sort(attribute='age', reverse=true)|map(attribute='name')|join(',') }}", 'Grace,alan,Ada'],
    [
      "{{ [{'a': 2, 'b': 1}, {'a': 1, 'b': 2}, {'a': 1, 'b': 1}]|sort(attribute='a,b') }}",
      "[{'a': 1, 'b': 1}, {'a': 1, 'b': 2}, {'a': 2, 'b': 1}]",
    ],
    ['{{ [1.5, 1, true, 0]|sort }}', '[0, 1, True, 1.5]'],
    ['{{ [[2, 1], [1, 3], [1, 2]]|sort }}', '[[1, 2], [1, 3], [2, 1]]'],
    ['{{ [{}, {}]|sort }}', '[{}, {}]'],
    ["{{ 'bca'|sort }}", "['a', 'b', 'c']"],
    ["{{ ['a', 'A', 'b']|unique|list }}", "['a', 'b']"],
    ["{{ ['a', 'A', 'b']|unique(case_sensitive=true)|list }}", "['a', 'A', 'b']"],
    ["{{ [1, 1.0, true, '1']|unique|list }}", "[1, '1']"],
    ["{{ users|unique(attribute='city')|map(attribute='name')|list }}", "['Ada', 'Grace']"],
  ])('renders %j', (template, output) => {
    expect(render(template)).toBe(output)
  })

  it.each([
    ["{{ [1, 'a']|sort }}", 'TypeError'],
    ['{{ [none, 1]|sort }}', 'TypeError'],
    ['{{ 5|sort }}', 'TypeError'],
    ['{{ [[1], [1]]|unique|list }}', 'TypeError'],
  ])('fails on %j with %s', (template, exception) => {
    expect(findFailure(template)).toBe(exception)
  })
})

describe('min, max, sum', () => {
  it.each([
    ['{{ list|min }}', '1'],
    ['{{ list|max }}', '3'],
    ['{{ words|min }}', 'A'],
    ['{{ words|max(case_sensitive=true) }}', 'c'],
    ["{{ users|max(attribute='age') }}", "{'name': 'Grace', 'age': 85}"],
    ['{{ list|sum }}', '6'],
    ['{{ list|sum(start=10) }}', '16'],
    ["{{ users|sum(attribute='age') }}", '162'],
    ['{{ [[1], [2]]|sum(start=[]) }}', '[1, 2]'],
    ['{{ [0.1, 0.2]|sum }}', '0.30000000000000004'],
    ['{{ [1, 2.5]|sum }}', '3.5'],
  ])('renders %j', (template, output) => {
    expect(render(template)).toBe(output)
  })

  it.each([
    ["{{ [1, 'a']|max }}", 'TypeError'],
    ["{{ ['a', 'b']|sum }}", 'TypeError'],
    ["{{ ['a']|sum(start='') }}", 'TypeError'],
  ])('fails on %j with %s', (template, exception) => {
    expect(findFailure(template)).toBe(exception)
  })
})

describe('map, select, reject', () => {
  it.each([
    ["{{ words|map('upper')|list }}", "['B', 'A', 'C']"],
    ["{{ users|map(attribute='name')|list }}", "['Ada', 'alan', 'Grace']"],
    ["{{ users|map(attribute='city', default='-')|list }}", "['London', 'london', '-']"],
    ["{{ [{'a': {'b': [1, 2]}}]|map(attribute='a.b.1')|list }}", '[2]'],
    ['{{ [[1, 2]]|map(attribute=1)|list }}', '[2]'],
    ["{{ words|map('replace', 'b', 'x')|list }}", "['x', 'A', 'c']"],
    ["{{ [0, 1, '', 'a', none]|select|list }}", "[1, 'a']"],
    ["{{ [0, 1, '', 'a', none]|reject|list }}", "[0, '', None]"],
    ["{{ range(6)|select('odd')|list }}", '[1, 3, 5]'],
    ["{{ range(6)|reject('divisibleby', 3)|list }}", '[1, 2, 4, 5]'],
    ["{{ range(6)|select('gt', 3)|list }}", '[4, 5]'],
    ["{{ users|selectattr('city')|map(attribute='name')|list }}", "['Ada', 'alan']"],
    ["{{ users|selectattr('age', 'gt', 40)|map(attribute='name')|list }}", "['alan', 'Grace']"],
    ["{{ users|rejectattr('city', 'defined')|map(attribute='name')|list }}", "['Grace']"],
    ["{{ users|selectattr('city', 'in', ['London'])|map(attribute='name')|list }}", "['Ada']"],
    ["{{ []|select('nope')|list }}", '[]'],
  ])('renders %j', (template, output) => {
    expect(render(template)).toBe(output)
  })

  it.each([
    ["{{ words|map('nope')|list }}", 'TemplateRuntimeError'],
    ['{{ words|map|list }}', 'FilterArgumentError'],
    ["{{ words|map(nope='x')|list }}", 'FilterArgumentError'],
    ["{{ range(3)|select('nope')|list }}", 'TemplateRuntimeError'],
    ['{{ users|selectattr|list }}', 'FilterArgumentError'],
  ])('fails on %j with %s', (template, exception) => {
    expect(findFailure(template)).toBe(exception)
  })
})

describe('groupby, dictsort, items', () => {
  it.each([
    ["{% for g, l in users|groupby('city', default='') %}{{ g }}:{{ l|length }};{% endfor %}", ':1;London:2;'],
    [
      "{% for g in [{'a': 1, 'b': 2}, {'a': 1, 'b': 3}]|groupby('a') %}{{ g.grouper }}{{ g.list }}{% endfor %}",
      "1[{'a': 1, 'b': 2}, {'a': 1, 'b': 3}]",
    ],
    [
      "{% for g, l in users|selectattr('city')|groupby('city', case_sensitive=true) %}{{ g }};{% endfor %}",
      'London;london;',
    ],
    ["{{ [{'a': 1}]|groupby('a') }}", "[(1, [{'a': 1}])]"],
    ["{{ {'b': 1, 'A': 3, 'c': 2}|dictsort }}", "[('A', 3), ('b', 1), ('c', 2)]"],
    ["{{ {'b': 1, 'A': 3, 'c': 2}|dictsort(true) }}", "[('A', 3), ('b', 1), ('c', 2)]"],
    ["{{ {'b': 1, 'A': 3, 'c': 2}|dictsort(by='value') }}", "[('b', 1), ('c', 2), ('A', 3)]"],
    ["{{ {'b': 1, 'A': 3}|dictsort(reverse=true) }}", "[('b', 1), ('A', 3)]"],
    ['{{ dict|items|list }}', "[('10', [1]), ('b', 2), ('a', 1)]"],
    ['{{ nope|items|list }}', '[]'],
  ])('renders %j', (template, output) => {
    expect(render(template)).toBe(output)
  })

  it.each([
    ["{{ users|groupby('nope')|length }}", 'UndefinedError'],
    ["{{ {'b': 1}|dictsort(by='nope') }}", 'FilterArgumentError'],
    ['{{ list|dictsort }}', 'AttributeError'],
    ['{{ list|items|list }}', 'TypeError'],
  ])('fails on %j with %s', (template, exception) => {
    expect(findFailure(template)).toBe(exception)
  })
})

describe('batch, slice', () => {
  it.each([
    ['{{ range(5)|batch(2)|list }}', '[[0, 1], [2, 3], [4]]'],
    ["{{ range(5)|batch(2, 'x')|list }}", "[[0, 1], [2, 3], [4, 'x']]"],
    ['{{ range(5)|slice(3)|list }}', '[[0, 1], [2, 3], [4]]'],
    ["{{ range(5)|slice(3, 'x')|list }}", "[[0, 1], [2, 3], [4, 'x']]"],
    ['{{ []|batch(2)|list }}', '[]'],
    ['{{ []|slice(2)|list }}', '[[], []]'],
    ['{{ range(3)|batch(0)|list }}', '[[], [0, 1, 2]]'],
    ['{{ range(3)|batch(-1)|list }}', '[[0, 1, 2]]'],
  ])('renders %j', (template, output) => {
    expect(render(template)).toBe(output)
  })

  it.each([['{{ range(3)|slice(0)|list }}', 'ZeroDivisionError']])('fails on %j with %s', (template, exception) => {
    expect(findFailure(template)).toBe(exception)
  })
})

describe('default, attr', () => {
  it.each([
    ['{{ nope|default }}', ''],
    ['{{ nope|default(1) }}', '1'],
    ["{{ ''|default('x') }}", ''],
    ["{{ ''|default('x', true) }}", 'x'],
    ['{{ 0|d(5, boolean=true) }}', '5'],
    ["{{ text|attr('upper')() }}", 'HELLO WÖRLD'],
    ["{{ dict|attr('a') is defined }}", 'False'],
    ["{{ dict|attr('items')()|list }}", "[('10', [1]), ('b', 2), ('a', 1)]"],
  ])('renders %j', (template, output) => {
    expect(render(template)).toBe(output)
  })
})
