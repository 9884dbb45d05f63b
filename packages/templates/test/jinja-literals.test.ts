import { describe, expect, it } from 'vitest'
import { findFailure, render } from './jinja-render.ts'

describe('texts', () => {
  it.each([
    ["{{ 'a' 'b' \"c\" }}", 'abc'],
    ["{{ '\\n'|length ~ '\\\\' ~ '\\'' ~ \"\\\"\" ~ '\\t'|length }}", '1\\\'"1'],
    ["{{ '\\x41\\u0042\\U00000043\\101' }}", 'ABCA'],
    ["{{ '\\q' ~ '\\8' }}", '\\q\\8'],
    ['{{ "it\'s" ~ \'say "x"\' }}', 'it\'ssay "x"'],
    [
      "{{ ['it\\'s', 'say \"x\"', 'both \\' \"', '\\n', '\\x00', 'ü', '\\u2028', '\\\\'] }}",
      "[\"it's\", 'say \"x\"', 'both \\' \"', '\\n', '\\x00', 'ü', '\\u2028', '\\\\']",
    ],
  ])('renders %j', (template, output) => {
    expect(render(template)).toBe(output)
  })

  it.each([
    ["{{ 'a\\ }}", 'SyntaxError'],
    ["{{ b' }}", 'SyntaxError'],
    ["{{ '\\x4' }}", 'SyntaxError'],
    ["{{ '\\u12' }}", 'SyntaxError'],
    ["{{ '\\U00110000' }}", 'SyntaxError'],
    ["{{ 'a }}", 'SyntaxError'],
    ['{{ "a\' }}', 'SyntaxError'],
  ])('fails on %j with %s', (template, exception) => {
    expect(findFailure(template)).toBe(exception)
  })
})

describe('lists, tuples, dicts', () => {
  it.each([
    ['{{ [1, 2,] ~ (1,) ~ (1, 2,) ~ () ~ {} ~ [] }}', '[1, 2](1,)(1, 2)(){}[]'],
    ['{{ (1) ~ 1, }}', "('11',)"],
    ["{{ {'a': 1,} }}", "{'a': 1}"],
    ["{{ {'a': 1, 'a': 2} }}", "{'a': 2}"],
    ["{{ {1: 2, 'b': [3]}['b'][0] }}", '3'],
    ['{{ {a: 1} }}', '{Undefined: 1}'],
  ])('renders %j', (template, output) => {
    expect(render(template)).toBe(output)
  })

  it.each([
    ['{{ {[]: 1} }}', 'TypeError'],
    ['{{}: 1}', 'SyntaxError'],
    ['{{ [,] }}', 'SyntaxError'],
    ['{{ {,} }}', 'SyntaxError'],
    ["{{ {'a'} }}", 'SyntaxError'],
    ['{{ [1 2] }}', 'SyntaxError'],
    ['{{ (1 }}', 'SyntaxError'],
    ['{{ [1 }}', 'SyntaxError'],
    ["{{ {'a': 1 }}", 'SyntaxError'],
  ])('fails on %j with %s', (template, exception) => {
    expect(findFailure(template)).toBe(exception)
  })
})

describe('words', () => {
  it.each([
    ['{{ true ~ True ~ false ~ False ~ none ~ None }}', 'TrueTrueFalseFalseNoneNone'],
    ["{{ TRUE|default('x') }}", 'x'],
    ["{{ nil|default('x') }}", 'x'],
    ['{{ lambda }}', ''],
    ['{{ is }}', ''],
    ['{{ and }}', ''],
    ['{{ in }}', ''],
    ['{{ if }}', ''],
    ['{{ else }}', ''],
  ])('renders %j', (template, output) => {
    expect(render(template)).toBe(output)
  })

  it.each([
    ['{{ not true ~ not false }}', 'SyntaxError'],
    ['{{ not }}', 'SyntaxError'],
  ])('fails on %j with %s', (template, exception) => {
    expect(findFailure(template)).toBe(exception)
  })
})

describe('operators', () => {
  it.each([
    ['{{ 1 ~ 2 + 3 ~ 4 }}', '1234'],
    ['{{ not 1 == 2 }}', 'True'],
    ['{{ 1 == 1 and 2 == 2 or 3 == 4 }}', 'True'],
    ['{{ 1 or 0 and 0 }}', '1'],
    ["{{ 'a' if 1 else 'b' ~ 'c' }}", 'a'],
    ['{{ 1 if 0 else 2 if 0 else 3 }}', '3'],
    ['{{ -2 ** 2 }}', '4'],
    ['{{ -1|abs }}', '1'],
    ['{{ (-1)|abs }}', '1'],
    ['{{ 1 < 2 < 3 }}', 'True'],
    ['{{ 1 in [1] == true }}', 'False'],
    ['{{ 1 not in [2] }}', 'True'],
    ['{{ not 1 in [2] }}', 'True'],
    ["{{ 'a' ~ 'b' | upper }}", 'aB'],
    ["{{ ('a' ~ 'b') | upper }}", 'AB'],
    ['{{ text.split()[0]|upper }}', 'HELLO'],
    ['{{ list|first + 1 }}', '4'],
    ['{{ 1 ++ 1 }}', '2'],
    ['{{ 1.5.5 }}', ''],
    ['{{ _ }}', ''],
    ["{{ é }}{{ über|default('x') }}", 'x'],
  ])('renders %j', (template, output) => {
    expect(render(template)).toBe(output)
  })

  it.each([
    ['{{ 1 + 2 * 3 ~ (1 + 2) * 3 ~ 2 * 3 + 1 ~ 10 - 2 - 3 ~ 2 ** 3 ** 0 }}', 'TypeError'],
    ['{{ 1 + }}', 'SyntaxError'],
    ['{{ + }}', 'SyntaxError'],
    ['{{ 1 === 1 }}', 'SyntaxError'],
    ['{{ 1 <> 2 }}', 'SyntaxError'],
    ['{{ 1 && 2 }}', 'SyntaxError'],
    ['{{ !1 }}', 'SyntaxError'],
    ['{{ 1 = 2 }}', 'SyntaxError'],
    ['{{ a.b. }}', 'SyntaxError'],
    ['{{ a..b }}', 'SyntaxError'],
    ['{{ a.1x }}', 'SyntaxError'],
    ['{{ a[ }}', 'SyntaxError'],
    ['{{ a[] }}', 'UndefinedError'],
    ['{{ a[1:2:3:4] }}', 'SyntaxError'],
    ['{{ a(b }}', 'SyntaxError'],
    ['{{ a| }}', 'SyntaxError'],
    ['{{ a|1 }}', 'SyntaxError'],
    ['{{ a is }}', 'SyntaxError'],
    ['{{ a is 1 }}', 'SyntaxError'],
    ['{{ 1 if }}', 'SyntaxError'],
    ['{{ 1 else 2 }}', 'SyntaxError'],
    ['{{ a b }}', 'SyntaxError'],
    ['{{ 1. }}', 'SyntaxError'],
    ['{{ .5 }}', 'SyntaxError'],
    ['{{ 1e }}', 'SyntaxError'],
    ['{{ 0x }}', 'SyntaxError'],
    ['{{ 0b2 }}', 'SyntaxError'],
    ['{{ 01 }}', 'SyntaxError'],
    ['{{ 1__0 }}', 'SyntaxError'],
    ['{{ $a }}', 'SyntaxError'],
    ['{{ a@b }}', 'SyntaxError'],
    ['{{ a?b }}', 'SyntaxError'],
    ['{{ a;b }}', 'SyntaxError'],
    ['{{ `a` }}', 'SyntaxError'],
  ])('fails on %j with %s', (template, exception) => {
    expect(findFailure(template)).toBe(exception)
  })
})
