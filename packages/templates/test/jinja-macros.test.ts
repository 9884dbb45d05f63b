import { describe, expect, it } from 'vitest'
import { findFailure, render } from './jinja-render.ts'

describe('arguments', () => {
  it.each([
    [
      "{% macro m(a, b=2) %}{{ a }}-{{ b }}{% endmacro %}{{ m(1) }} {{ m(1, 3) }} {{ m(b=4, a=5) }} {{ m(*[6, 7]) }} {{ m(**{'a': 8}) }}",
      '1-2 1-3 5-4 6-7 8-2',
    ],
    ['{% macro m(a, b=a) %}{{ a }}{{ b }}{% endmacro %}{{ m(1) }}', '11'],
    ['{% macro m(a) %}[{{ a }}]{% endmacro %}{{ m() }}', '[]'],
    ['{% macro m(a) %}{{ a is defined }}{% endmacro %}{{ m() }}{{ m(none) }}', 'FalseTrue'],
    ['{% macro m(a=1) %}{{ a }}{% endmacro %}{{ m(none) }}', 'None'],
    ['{% macro m() %}{{ varargs }}{{ kwargs }}{% endmacro %}{{ m(1, 2, a=3) }}', "(1, 2){'a': 3}"],
    ['{% macro m(a) %}{{ varargs|length }}{% endmacro %}{{ m(1) }}{{ m(1, 2, 3) }}', '02'],
  ])('renders %j', (template, output) => {
    expect(render(template)).toBe(output)
  })

  it.each([
    ['{% macro m() %}{% endmacro %}{{ m(1) }}', 'TypeError'],
    ['{% macro m(a) %}{% endmacro %}{{ m(b=1) }}', 'TypeError'],
    ['{% macro m(a) %}{{ a.x }}{% endmacro %}{{ m() }}', 'UndefinedError'],
    ['{% macro m(a) %}{{ a.x.y }}{% endmacro %}{{ m({}) }}', 'UndefinedError'],
    ['{% macro m(a=1, b) %}{% endmacro %}', 'SyntaxError'],
    ['{% macro m(a, a) %}{% endmacro %}', 'SyntaxError'],
    ['{{ m(a=1, a=2) }}', 'SyntaxError'],
    ['{{ m(a=1, 2) }}', 'SyntaxError'],
    ['{{ m(*[1], 2) }}', 'SyntaxError'],
    ['{{ m(**{}, a=1) }}', 'SyntaxError'],
    ['{{ nope() }}', 'UndefinedError'],
    ['{{ 1() }}', 'TypeError'],
    ['{{ text() }}', 'TypeError'],
  ])('fails on %j with %s', (template, exception) => {
    expect(findFailure(template)).toBe(exception)
  })
})

describe('properties', () => {
  it.each([
    [
      '{% macro m(a, b=2) %}{% endmacro %}{{ m.name }} {{ m.arguments }} {{ m.catch_kwargs }} {{ m.catch_varargs }} {{ m.caller }}',
      "m ('a', 'b') False False False",
    ],
    ['{% macro m() %}{{ kwargs }}{{ caller() }}{% endmacro %}{{ m.catch_kwargs }} {{ m.caller }}', 'True True'],
    ['{% macro m() %}{% endmacro %}{{ m }}', "<Macro 'm'>"],
    ['{% macro m() %}x{% endmacro %}{{ m()|upper }}{{ m()|length }}', 'X1'],
    ['{% macro m() %}{% endmacro %}{{ m is callable }}{{ m is defined }}', 'TrueTrue'],
    ['{% macro fact(n) %}{{ n * (fact(n - 1)|int) if n > 1 else 1 }}{% endmacro %}{{ fact(5) }}', '120'],
  ])('renders %j', (template, output) => {
    expect(render(template)).toBe(output)
  })
})

describe('call blocks', () => {
  it.each([
    ['{% macro m() %}[{{ caller() }}]{% endmacro %}{% call m() %}x{% endcall %}', '[x]'],
    ['{% macro m() %}{{ caller(1) }}{{ caller(2) }}{% endmacro %}{% call(a) m() %}<{{ a }}>{% endcall %}', '<1><2>'],
    ['{% macro m() %}{{ caller(b=3) }}{% endmacro %}{% call(a=1, b=2) m() %}{{ a }}{{ b }}{% endcall %}', '13'],
    ["{% macro m(x) %}{{ x }}{{ caller() }}{% endmacro %}{% set y = 'o' %}{% call m(1) %}{{ y }}{% endcall %}", '1o'],
    ['{% macro m() %}{{ caller is defined }}{% endmacro %}{{ m() }}{% call m() %}{% endcall %}', 'FalseTrue'],
    ['{% macro m(caller=none) %}{{ caller }}{% endmacro %}{{ m() }}', 'None'],
  ])('renders %j', (template, output) => {
    expect(render(template)).toBe(output)
  })

  it.each([
    ['{% macro m() %}{{ caller() }}{% endmacro %}{{ m() }}', 'UndefinedError'],
    ['{% macro m() %}x{% endmacro %}{% call m() %}{% endcall %}', 'TypeError'],
    ['{% call 1 %}{% endcall %}', 'SyntaxError'],
    ['{% call m %}{% endcall %}', 'SyntaxError'],
    ['{% macro m(caller) %}{{ caller() }}{% endmacro %}', 'SyntaxError'],
  ])('fails on %j with %s', (template, exception) => {
    expect(findFailure(template)).toBe(exception)
  })
})
