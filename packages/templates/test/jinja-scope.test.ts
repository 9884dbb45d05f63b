import { describe, expect, it } from 'vitest'
import { findFailure, render } from './jinja-render.ts'

describe('set', () => {
  it.each([
    ['{% set x = 1 %}{{ x }}{% set x = x + 1 %}{{ x }}', '12'],
    ['{% set a, b = 1, 2 %}{{ a }}{{ b }}', '12'],
    ['{% set (a, (b, c)) = (1, (2, 3)) %}{{ a }}{{ b }}{{ c }}', '123'],
    ["{% set a, b = 'xy' %}{{ a }}{{ b }}", 'xy'],
    ['{% set x %}a{{ 1 }}b{% endset %}{{ x }}|{{ x|length }}', 'a1b|3'],
    ["{% set x | upper | replace('A', 'z') %}abc{% endset %}{{ x }}", 'zBC'],
    ['{% if true %}{% set x = 1 %}{% endif %}{{ x }}', '1'],
    ['{% if false %}{% set x = 1 %}{% endif %}[{{ x }}]', '[]'],
  ])('renders %j', (template, output) => {
    expect(render(template)).toBe(output)
  })

  it.each([
    ['{% set a = b = 1 %}', 'SyntaxError'],
    ['{% set a, b = 1 %}', 'TypeError'],
    ['{% set a, b = [1] %}', 'ValueError'],
    ['{% set a, b = [1, 2, 3] %}', 'ValueError'],
    ['{% set x.y = 1 %}', 'TemplateRuntimeError'],
    ['{% set text.y = 1 %}', 'TemplateRuntimeError'],
    ['{% set dict.y = 1 %}', 'TemplateRuntimeError'],
    ['{% set 1 = 2 %}', 'SyntaxError'],
    ['{% set true = 2 %}', 'SyntaxError'],
    ['{% set x %}', 'SyntaxError'],
  ])('fails on %j with %s', (template, exception) => {
    expect(findFailure(template)).toBe(exception)
  })
})

describe('loops keep their assignments', () => {
  it.each([
    ['{% set x = 1 %}{% for i in [1, 2] %}{% set x = x + 1 %}{% endfor %}{{ x }}', '1'],
    ['{% for i in [1, 2] %}{% set y = i %}{{ y }}{% endfor %}[{{ y }}]', '12[]'],
    ['{% for i in [1] %}{% endfor %}[{{ i }}]', '[]'],
    ['{% for i in [1, 2] %}{{ x }}{% set x = i %}{% endfor %}', ''],
    ['{% set i = 9 %}{% for i in [1] %}{{ i }}{% endfor %}{{ i }}', '19'],
    ['{% for i in [1] %}{% for i in [2] %}{{ i }}{% endfor %}{{ i }}{% endfor %}', '21'],
    ['{% for i in [1] %}{% for j in [2] %}{{ loop.index }}{% endfor %}{{ loop.index }}{% endfor %}', '11'],
    ['{% for x in [1] %}{% if true %}{% set z = x %}{% endif %}{{ z }}{% endfor %}[{{ z }}]', '1[]'],
    ['{% set loop = 5 %}{{ loop }}', '5'],
  ])('renders %j', (template, output) => {
    expect(render(template)).toBe(output)
  })

  it.each([
    ['{% for x in [1] %}{% set loop = 1 %}{% endfor %}', 'SyntaxError'],
    ['{% for loop in [1] %}{% endfor %}', 'SyntaxError'],
  ])('fails on %j with %s', (template, exception) => {
    expect(findFailure(template)).toBe(exception)
  })
})

describe('namespaces keep their assignments', () => {
  it.each([
    ['{% set ns = namespace(x=0) %}{% for i in list %}{% set ns.x = ns.x + i %}{% endfor %}{{ ns.x }}', '6'],
    ["{% set ns = namespace({'a': 1}, b=2) %}{{ ns.a }}{{ ns.b }}[{{ ns.c }}]", '12[]'],
    ['{% set ns = namespace() %}{% set ns.a, b = 1, 2 %}{{ ns.a }}{{ b }}', '12'],
    ['{% set ns = namespace() %}{% set ns.x %}y{% endset %}{{ ns.x }}', 'y'],
    ['{% set ns = namespace(a=1) %}{{ ns }}', "<Namespace {'a': 1}>"],
    ["{% set ns = namespace(a=1) %}{{ ns['a'] }}", '1'],
    ["{{ namespace([('a', 1)]).a }}", '1'],
  ])('renders %j', (template, output) => {
    expect(render(template)).toBe(output)
  })

  it.each([
    ["{% set ns = namespace(a=1) %}{% set ns['a'] = 2 %}", 'SyntaxError'],
    ['{{ namespace(1) }}', 'TypeError'],
  ])('fails on %j with %s', (template, exception) => {
    expect(findFailure(template)).toBe(exception)
  })
})

describe('with', () => {
  it.each([
    ['{% with a = 1, b = 2 %}{{ a }}{{ b }}{% endwith %}[{{ a }}]', '12[]'],
    ['{% set a = 1 %}{% with a = 2, b = a %}{{ a }}{{ b }}{% endwith %}{{ a }}', '211'],
    ['{% with %}{% set q = 1 %}{{ q }}{% endwith %}[{{ q }}]', '1[]'],
  ])('renders %j', (template, output) => {
    expect(render(template)).toBe(output)
  })

  it.each([
    ['{% with a, b = 1, 2 %}{{ a }}{{ b }}{% endwith %}', 'SyntaxError'],
    ['{% with a = 1 b = 2 %}{% endwith %}', 'SyntaxError'],
  ])('fails on %j with %s', (template, exception) => {
    expect(findFailure(template)).toBe(exception)
  })
})

describe('macros see outer variables', () => {
  it.each([
    ['{% set x = 1 %}{% macro m() %}{{ x }}{% endmacro %}{{ m() }}', '1'],
    ['{% macro m() %}{{ x }}{% endmacro %}{% set x = 1 %}{{ m() }}', '1'],
    ['{% macro m(x) %}{% set x = x + 1 %}{{ x }}{% endmacro %}{% set x = 5 %}{{ m(1) }}{{ x }}', '25'],
    ['{% for i in [1] %}{% macro m() %}{{ i }}{% endmacro %}{{ m() }}{% endfor %}', '1'],
    ['{% macro a() %}{{ b() }}{% endmacro %}{% macro b() %}x{% endmacro %}{{ a() }}', 'x'],
    ['{% if true %}{% macro m() %}x{% endmacro %}{% endif %}{{ m() }}', 'x'],
  ])('renders %j', (template, output) => {
    expect(render(template)).toBe(output)
  })
})

describe('blocks', () => {
  it.each([
    ['{% block a %}x{{ text }}{% endblock %}', 'xHello wörld'],
    ['{% block a %}x{% endblock a %}{{ self.a() }}', 'xx'],
    ['{% for i in [1] %}{% block a %}[{{ i }}]{% endblock %}{% endfor %}', '[]'],
    ['{% for i in [1] %}{% block a scoped %}[{{ i }}]{% endblock %}{% endfor %}', '[1]'],
    ['{% set x = 1 %}{% block a %}{{ x }}{% endblock %}', '1'],
    ['{% block a %}{% set x = 1 %}{% endblock %}[{{ x }}]', '[]'],
  ])('renders %j', (template, output) => {
    expect(render(template)).toBe(output)
  })

  it.each([
    ['{% block a required %}{% endblock %}', 'TemplateRuntimeError'],
    ['{% block a required %}x{% endblock %}', 'SyntaxError'],
    ['{% block a %}{% endblock %}{% block a %}{% endblock %}', 'SyntaxError'],
    ['{% block a %}{% endblock b %}', 'SyntaxError'],
    ['{% block a-b %}{% endblock %}', 'SyntaxError'],
    ['{{ self.nope() }}', 'UndefinedError'],
  ])('fails on %j with %s', (template, exception) => {
    expect(findFailure(template)).toBe(exception)
  })
})
