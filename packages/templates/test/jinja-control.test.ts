import { describe, expect, it } from 'vitest'
import { findFailure, render } from './jinja-render.ts'

describe('if', () => {
  it.each([
    ['{% if 1 %}a{% elif 1 %}b{% else %}c{% endif %}', 'a'],
    ['{% if 0 %}a{% elif 1 %}b{% else %}c{% endif %}', 'b'],
    ["{% if 0 %}a{% elif '' %}b{% else %}c{% endif %}", 'c'],
    ['{% if nope %}a{% else %}b{% endif %}', 'b'],
    ["{% if [] or {} or () or '' or 0 or 0.0 or none %}a{% else %}b{% endif %}", 'b'],
    ["{% if [0] and {0: 0} and (0,) and ' ' and 1 and 0.1 %}a{% endif %}", 'a'],
    ['{% if not list %}a{% else %}b{% endif %}', 'b'],
    ["{{ 'a' if false }}|", '|'],
    ["{{ 'a' if true else 'b' if true else 'c' }}", 'a'],
    ['{% if false %}{{ 1|nope }}{% endif %}x', 'x'],
    ['{{ 1|nope if false else 2 }}', '2'],
  ])('renders %j', (template, output) => {
    expect(render(template)).toBe(output)
  })

  it.each([
    ['{% if 1 %}a{% else %}b{% elif 1 %}c{% endif %}', 'SyntaxError'],
    ['{% if %}{% endif %}', 'SyntaxError'],
    ['{% if 1 %}', 'SyntaxError'],
    ['{% if true %}{{ 1|nope }}{% endif %}x', 'TemplateRuntimeError'],
    ['{{ 1|nope }}', 'SyntaxError'],
    ['{{ 1 is nope }}', 'SyntaxError'],
  ])('fails on %j with %s', (template, exception) => {
    expect(findFailure(template)).toBe(exception)
  })
})

describe('for', () => {
  it.each([
    ['{% for x in list %}{{ x }},{% endfor %}', '3,1,2,'],
    ["{% for x in 'aß😀' %}{{ x }},{% endfor %}", 'a,ß,😀,'],
    ['{% for k in dict %}{{ k }},{% endfor %}', '10,b,a,'],
    ['{% for k, v in dict.items() %}{{ k }}={{ v }},{% endfor %}', '10=[1],b=2,a=1,'],
    ['{% for a, (b, c) in [(1, (2, 3))] %}{{ a }}{{ b }}{{ c }}{% endfor %}', '123'],
    ['{% for x in [] %}a{% else %}b{% endfor %}', 'b'],
    ['{% for x in nope %}a{% else %}b{% endfor %}', 'b'],
    ['{% for x in [1] %}a{% else %}b{% endfor %}', 'a'],
    ['{% for x in list if x > 1 %}{{ x }}{{ loop.index }}{{ loop.length }},{% endfor %}', '312,222,'],
    ['{% for x in list if x > 5 %}a{% else %}none{% endfor %}', 'none'],
    ['{% for a, b in [(1, 2), (3, 4)] if a > 1 %}{{ a }}{{ b }}{% endfor %}', '34'],
    ['{% for x in range(3) %}{{ x }}{% endfor %}', '012'],
    ['{% for x in list|sort|reverse %}{{ x }}{% endfor %}', '321'],
  ])('renders %j', (template, output) => {
    expect(render(template)).toBe(output)
  })

  it.each([
    ['{% for x in 5 %}{% endfor %}', 'TypeError'],
    ['{% for x in none %}{% endfor %}', 'TypeError'],
    ['{% for x in true %}{% endfor %}', 'TypeError'],
    ['{% for a, b in [1] %}{% endfor %}', 'TypeError'],
    ['{% for x y in list %}{% endfor %}', 'SyntaxError'],
    ['{% for x list %}{% endfor %}', 'SyntaxError'],
    ['{% for x in list %}', 'SyntaxError'],
    ['{% for x in list %}{% endif %}', 'SyntaxError'],
  ])('fails on %j with %s', (template, exception) => {
    expect(findFailure(template)).toBe(exception)
  })
})

describe('the variable loop', () => {
  it.each([
    [
      '{% for x in list %}{{ loop.index }}{{ loop.index0 }}{{ loop.revindex }}{{ loop.revindex0 }}{{ loop.length }} {% endfor %}',
      '10323 21213 32103 ',
    ],
    ['{% for x in list %}{{ loop.first }}{{ loop.last }} {% endfor %}', 'TrueFalse FalseFalse FalseTrue '],
    ['{% for x in list %}[{{ loop.previtem }}<{{ x }}<{{ loop.nextitem }}]{% endfor %}', '[<3<1][3<1<2][1<2<]'],
    ["{% for x in list %}{{ loop.cycle('a', 'b') }}{% endfor %}", 'aba'],
    ['{% for x in [1, 1, 2, 2, 1] %}{{ loop.changed(x) }} {% endfor %}', 'True False True False True '],
    ['{% for x in [1] %}{{ loop.depth }}{{ loop.depth0 }}{% endfor %}', '10'],
    ["{% for x in list|map('string') %}{{ loop.last }}{{ loop.length }}{% endfor %}", 'False3False3True3'],
    ['{% for x in [1] %}{{ loop }}{% endfor %}', '<LoopContext 1/1>'],
    ['{% for x in [1] %}{{ loop.nope }}|{% endfor %}', '|'],
    ['{% for x in [] %}{% else %}{{ loop }}{% endfor %}|', '|'],
  ])('renders %j', (template, output) => {
    expect(render(template)).toBe(output)
  })

  it.each([
    ['{% for x in [1] %}{{ loop.cycle() }}{% endfor %}', 'TypeError'],
    ['{% for x in [1] %}{{ loop() }}{% endfor %}', 'TypeError'],
    ['{% for x in [1] %}{{ loop.previtem.x }}{% endfor %}', 'UndefinedError'],
  ])('fails on %j with %s', (template, exception) => {
    expect(findFailure(template)).toBe(exception)
  })
})

describe('break and continue', () => {
  it.each([
    ['{% for x in [1, 2, 3] %}{% if x == 2 %}{% break %}{% endif %}{{ x }}{% endfor %}', '1'],
    ['{% for x in [1, 2, 3] %}{% if x == 2 %}{% continue %}{% endif %}{{ x }}{% endfor %}', '13'],
    ['{% for x in [1, 2] %}{% for y in [1, 2] %}{% break %}{% endfor %}{{ x }}{% endfor %}', '12'],
    ['{% for x in [1, 2] %}{% with a = x %}{{ a }}{% break %}{% endwith %}{% endfor %}', '1'],
    ['{% for x in [1, 2] %}{% break %}{% else %}e{% endfor %}', 'e'],
    ['{% for x in [1, 2] %}{{ x }}{% break %}{% else %}e{% endfor %}', '1e'],
    ['{% for x in [1, 2] %}{{ x }}{% if x == 2 %}{% break %}{% endif %}{% else %}e{% endfor %}', '12'],
    ['{% for x in [1, 2] %}{% set y %}{{ x }}{% continue %}{% endset %}{{ y }}{% endfor %}|', '|'],
  ])('renders %j', (template, output) => {
    expect(render(template)).toBe(output)
  })

  it.each([
    ['{% break %}', 'SyntaxError'],
    ['{% continue %}', 'SyntaxError'],
    ['{% for x in [1] %}{% macro m() %}{% break %}{% endmacro %}{% endfor %}', 'SyntaxError'],
    ['{% for x in [1] %}{% call m() %}{% break %}{% endcall %}{% endfor %}', 'SyntaxError'],
    ['{% for x in [1] %}{% endfor %}{% break %}', 'SyntaxError'],
  ])('fails on %j with %s', (template, exception) => {
    expect(findFailure(template)).toBe(exception)
  })
})

describe('recursive loops', () => {
  it.each([
    [
      "{% for x in [{'v': 1, 'c': [{'v': 2, 'c': []}]}] recursive %}{{ x.v }}{% if x.c %}({{ loop(x.c) }}){% endif %}{% endfor %}",
      '1(2)',
    ],
    ['{% for x in [[[]]] recursive %}{{ loop.depth }}{{ loop(x) }}{% endfor %}', '12'],
    [
      '{% for x in [1, [2, [3]]] recursive %}{% if x is iterable %}[{{ loop(x) }}]{% else %}{{ x }}{% endif %}{% endfor %}',
      '1[2[3]]',
    ],
  ])('renders %j', (template, output) => {
    expect(render(template)).toBe(output)
  })

  it.each([
    ['{% for x in [1] recursive %}{{ loop() }}{% endfor %}', 'TypeError'],
    ['{% for x in [1] recursive %}{{ loop(5) }}{% endfor %}', 'TypeError'],
  ])('fails on %j with %s', (template, exception) => {
    expect(findFailure(template)).toBe(exception)
  })
})

describe('filter blocks', () => {
  it.each([
    ["{% filter upper %}a{{ 'b' }}{% endfilter %}", 'AB'],
    ["{% filter upper|replace('A', 'x') %}aba{% endfilter %}", 'xBx'],
    ["{% filter indent(2) %}a{{ '\\n' }}b{% endfilter %}", 'a\n  b'],
  ])('renders %j', (template, output) => {
    expect(render(template)).toBe(output)
  })

  it.each([
    ['{% filter length %}ab{% endfilter %}', 'TypeError'],
    ['{% filter nope %}{% endfilter %}', 'SyntaxError'],
    ['{% filter 1 %}{% endfilter %}', 'SyntaxError'],
  ])('fails on %j with %s', (template, exception) => {
    expect(findFailure(template)).toBe(exception)
  })
})

describe('generation', () => {
  it.each([
    ['{% generation %}a{{ 1 }}{% endgeneration %}', 'a1'],
    ['{% for x in [1, 2] %}{% generation %}{{ x }}{% endgeneration %}{% endfor %}', '12'],
    ['{% generation %}{% set q = 1 %}{% endgeneration %}[{{ q }}]', '[]'],
  ])('renders %j', (template, output) => {
    expect(render(template)).toBe(output)
  })
})

describe('autoescape', () => {
  it.each([
    ["{% autoescape true %}{{ '<' }}{{ '<'|safe }}{{ '<'|e }}{% endautoescape %}{{ '<' }}", '&lt;<&lt;<'],
    [
      "{% autoescape true %}{{ ['<'|safe, '<']|join }}{{ '<'|safe ~ empty ~ '<' }}{{ '<'|safe + empty + '<' }}{% endautoescape %}",
      '<&lt;<&lt;<&lt;',
    ],
    ["{% autoescape true %}{% set x %}<{{ '<' }}{% endset %}{{ x }}{% endautoescape %}", '<&lt;'],
    ["{% autoescape false %}{{ '<' }}{% endautoescape %}", '<'],
  ])('renders %j', (template, output) => {
    expect(render(template)).toBe(output)
  })
})

describe('tags that load', () => {
  it.each([["{% if false %}{% include 'x' %}{% endif %}ok", 'ok']])('renders %j', (template, output) => {
    expect(render(template)).toBe(output)
  })

  it.each([
    ["{% include 'x' %}", 'TypeError'],
    ["{% import 'x' as y %}", 'TypeError'],
    ["{% from 'x' import y %}", 'TypeError'],
    ["{% extends 'x' %}", 'TypeError'],
    ['{% nope %}', 'SyntaxError'],
    ['{% end %}', 'SyntaxError'],
    ['{% do 1 %}', 'SyntaxError'],
    ['{% trans %}a{% endtrans %}', 'SyntaxError'],
  ])('fails on %j with %s', (template, exception) => {
    expect(findFailure(template)).toBe(exception)
  })
})
