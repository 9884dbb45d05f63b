import { describe, expect, it } from 'vitest'
import { findFailure, render } from './jinja-render.ts'

describe('blocks', () => {
  it.each([
    ['{% if true %}\na\n{% endif %}\nb', 'a\nb'],
    ['  {% if true %}\n  a\n  {% endif %}\nb', '  a\nb'],
    ['x  {% if true %}  a{% endif %}', 'x    a'],
    ['{% if true -%}\n\n  a  \n\n{%- endif %}b', 'ab'],
    ['a \n {%- if true %} b{% endif %}', 'a b'],
    ['  {%+ if true %}a{% endif %}', '  a'],
    ['{% if true +%}\na{% endif %}', '\na'],
    ['{% if true %}a\n{% endif +%}\nb', 'a\n\nb'],
    ['\t {% set x = 1 %}\n\n{{ x }}', '\n1'],
    ['a{% raw %}{{ b }}{% x %}{% endraw %}c', 'a{{ b }}{% x %}c'],
    ['{% raw -%}  a  {%- endraw %}b', 'ab'],
    ['{% raw %}\na\n{% endraw %}\nb', '\na\nb'],
    ['  {% raw %}  a{% endraw %}', '  a'],
    ['{% raw %}{% raw %}{% endraw %}', '{% raw %}'],
  ])('renders %j', (template, output) => {
    expect(render(template)).toBe(output)
  })
})

describe('variables', () => {
  it.each([
    [' {{ 1 }} ', ' 1 '],
    ['a {{- 1 -}} b', 'a1b'],
    ['a\n{{- 1 }}\nb', 'a1\nb'],
    ['  {{ 1 }}\n  {{ 2 }}\n', '  1\n  2'],
    ['{{ 1 }}\n\n', '1\n'],
  ])('renders %j', (template, output) => {
    expect(render(template)).toBe(output)
  })
})

describe('comments', () => {
  it.each([
    ['a{# x #}b', 'ab'],
    ['  {# x #}\nb', 'b'],
    ['a {#- x -#} b', 'ab'],
    ['a{# {{ {% #}b', 'ab'],
    ['{# a\n\n #}\n{{ 1 }}', '1'],
    ['  {#+ x #}b', '  b'],
    ['{# x +#}\nb', '\nb'],
  ])('renders %j', (template, output) => {
    expect(render(template)).toBe(output)
  })
})

describe('line ends', () => {
  it.each([
    ['a\r\nb\r\n', 'a\nb'],
    ['a\rb', 'a\nb'],
    ["{{ 'a\r\nb' }}", 'a\nb'],
    ['a\n', 'a'],
    ['a\n\n', 'a\n'],
    ['', ''],
    ['\n', ''],
  ])('renders %j', (template, output) => {
    expect(render(template)).toBe(output)
  })
})

describe('literal braces', () => {
  it.each([
    ['{ { } } {a} }} %} #}', '{ { } } {a} }} %} #}'],
    ["{{ '{{' }}{{ '%}' }}", '{{%}'],
    ["{{ {'a': {'b': 1}} }}", "{'a': {'b': 1}}"],
    ["{{ {'a': {'b': 1}}['a'] }}", "{'b': 1}"],
    ["{{{'a':1}}}", "{'a': 1}"],
  ])('renders %j', (template, output) => {
    expect(render(template)).toBe(output)
  })
})

describe('errors', () => {
  it.each([
    ['{#', ''],
    ['{% raw %}', ''],
  ])('renders %j', (template, output) => {
    expect(render(template)).toBe(output)
  })

  it.each([
    ['{{', 'SyntaxError'],
    ['{{ 1', 'SyntaxError'],
    ['{% if', 'SyntaxError'],
    ['{% endraw %}', 'SyntaxError'],
    ['{{ }}', 'SyntaxError'],
    ['{% %}', 'SyntaxError'],
    ['{% raw x %}{% endraw %}', 'SyntaxError'],
    ['{{ 1 }}{% endif %}', 'SyntaxError'],
  ])('fails on %j with %s', (template, exception) => {
    expect(findFailure(template)).toBe(exception)
  })
})
