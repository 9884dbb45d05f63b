import { describe, expect, it } from 'vitest'
import { compileJinja, JinjaLimitError, JinjaRuntimeError } from '../src/index.ts'

function render(template: string, context: Record<string, unknown> = {}): string {
  return compileJinja(template, { lenient: true }).render(context)
}

function findException(template: string): string {
  try {
    render(template)
  } catch (error) {
    if (error instanceof JinjaRuntimeError) return error.exception
    throw error
  }
  return 'none'
}

describe('a lenient template', () => {
  it.each([
    ['{% set l = [1] %}{% set _ = l.append(2) %}{{ l }}', '[1, 2]'],
    [
      '{% set n = namespace(ids=[]) %}{% for i in [1, 2] %}{% set _ = n.ids.append(i) %}{% endfor %}{{ n.ids }}',
      '[1, 2]',
    ],
    ['{% set l = [1] %}{{ l.append(2) }}', 'None'],
    ['{% set l = [1] %}{% set _ = l.extend([2, 3]) %}{% set _ = l.extend(l) %}{{ l }}', '[1, 2, 3, 1, 2, 3]'],
    ["{% set l = [] %}{% set _ = l.extend('ab') %}{{ l }}", "['a', 'b']"],
    [
      '{% set l = [1, 2] %}{% set _ = l.insert(0, 0) %}{% set _ = l.insert(-1, 9) %}{% set _ = l.insert(99, 3) %}{{ l }}',
      '[0, 1, 9, 2, 3]',
    ],
    ['{% set l = [1, 2, 3] %}{{ l.pop() }}{{ l.pop(0) }}{{ l }}', '31[2]'],
    ['{% set l = [1, 2, 1] %}{% set _ = l.remove(1) %}{{ l }}', '[2, 1]'],
    ['{% set l = [1, 2] %}{% set _ = l.reverse() %}{{ l }}{% set _ = l.clear() %}{{ l }}', '[2, 1][]'],
    [
      "{% set l = ['b', 'a'] %}{% set _ = l.sort() %}{{ l }}{% set _ = l.sort(reverse=true) %}{{ l }}",
      "['a', 'b']['b', 'a']",
    ],
    [
      '{% macro size(x) %}{{ x|length }}{% endmacro %}{% set l = ["aa", "b"] %}{% set _ = l.sort(key=size) %}{{ l }}',
      "['b', 'aa']",
    ],
    ["{% set d = {'a': 1} %}{% set _ = d.update({'b': 2}, c=3) %}{{ d }}", "{'a': 1, 'b': 2, 'c': 3}"],
    ["{% set d = {'a': 1} %}{% set _ = d.update([('a', 2), ('b', 3)]) %}{{ d }}", "{'a': 2, 'b': 3}"],
    [
      "{% set d = {} %}{{ d.setdefault('a', 1) }}{{ d.setdefault('a', 2) }}{{ d.setdefault('b') }}{{ d }}",
      "11None{'a': 1, 'b': None}",
    ],
    [
      "{% set d = {'a': 1, 2: 3} %}{{ d.pop('a') }}{{ d.pop('a', 9) }}{{ d }}{{ d.popitem() }}{{ d }}",
      '19{2: 3}(2, 3){}',
    ],
    ["{% set d = {'a': 1} %}{% set _ = d.clear() %}{{ d }}{{ 'a' in d }}", '{}False'],
    ["{{ ([{'f': 1}, {'f': 2}] | map(attribute='f')) | tojson }}", '[1, 2]'],
    [
      '{% set a = [1] %}{% set b = a %}{% set c = a|list %}{% set d = a[:] %}{% set _ = a.append(2) %}{{ [b, c, d] }}',
      '[[1, 2], [1], [1]]',
    ],
  ])('renders %j', (template, output) => {
    expect(render(template)).toBe(output)
  })

  it.each([
    ['{{ [].pop() }}', 'IndexError'],
    ['{{ [1].pop(1) }}', 'IndexError'],
    ['{{ [1].remove(2) }}', 'ValueError'],
    ["{{ {}.pop('a') }}", 'KeyError'],
    ['{{ {}.popitem() }}', 'KeyError'],
    ['{{ [1, "a"].sort() }}', 'TypeError'],
    ['{{ [1].sort(1) }}', 'TypeError'],
    ['{{ [1].append() }}', 'TypeError'],
    ['{{ {}.update([1]) }}', 'TypeError'],
    ['{{ (1, 2).append(3) }}', 'UndefinedError'],
  ])('fails on %j with %s', (template, exception) => {
    expect(findException(template)).toBe(exception)
  })

  it('never changes data of the caller, or another rendering', () => {
    const template = compileJinja(
      "{% set _ = messages.append(1) %}{% set _ = messages[0].update(role='x') %}{% set l = [] %}{% set _ = l.append(1) %}{{ messages|length }}{{ l }}",
      { lenient: true },
    )
    const messages = [{ role: 'user' }]
    const maps = [new Map([['role', 'user']])]
    expect([template.render({ messages }), template.render({ messages })]).toEqual(['2[1]', '2[1]'])
    expect(template.render({ messages: maps })).toBe('2[1]')
    expect([messages, maps]).toEqual([[{ role: 'user' }], [new Map([['role', 'user']])]])
  })

  it.each([
    ['a loop over a growing list', '{% set l = [1] %}{% for x in l %}{% set _ = l.append(x) %}{% endfor %}'],
    ['a list that doubles', '{% set l = [1] %}{% for x in range(99) %}{% set _ = l.extend(l) %}{% endfor %}'],
    ['a list in itself, printed', '{% set l = [1] %}{% set _ = l.append(l) %}{{ l }}'],
    ['a list in itself, as JSON', '{% set l = [1] %}{% set _ = l.append(l) %}{{ l|tojson }}'],
    [
      'lists in themselves, compared',
      '{% set l = [1] %}{% set _ = l.append(l) %}{% set m = [1] %}{% set _ = m.append(m) %}{{ l == m }}',
    ],
    ['a dict in itself', '{% set d = {} %}{% set _ = d.update(a=d) %}{{ d }}'],
    ['a growing dict', '{% set d = {0: 0} %}{% for k in d %}{% set _ = d.update({k + 1: 0}) %}{% endfor %}'],
  ])('ends %s at a limit', (_name, template) => {
    expect(() => render(template)).toThrow(JinjaLimitError)
  })
})

it('a strict template changes no list or dict', () => {
  for (const template of ['{{ [].append(1) }}', '{{ {}.update({}) }}']) {
    expect(() => compileJinja(template).render({})).toThrow(/is unsafe/)
  }
  expect(() => compileJinja('{{ [1]|map("string")|tojson }}').render({})).toThrow(/not JSON serializable/)
})
