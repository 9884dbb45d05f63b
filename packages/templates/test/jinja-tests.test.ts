import { describe, expect, it } from 'vitest'
import { findFailure, render } from './jinja-render.ts'

describe('kinds', () => {
  it.each([
    ['{{ text is string and not 5 is string and not none is string }}', 'True'],
    ["{{ 1 is number and 1.5 is number and true is number and not '1' is number }}", 'True'],
    ['{{ 1 is integer and not true is integer and not 1.0 is integer and big is integer }}', 'True'],
    ['{{ 1.0 is float and not 1 is float and 1e3 is float }}', 'True'],
    ['{{ true is boolean and not 1 is boolean }}', 'True'],
    ['{{ true is true and not 1 is true and false is false and not 0 is false }}', 'True'],
    ['{{ none is none and not 0 is none and not nope is none }}', 'True'],
    ['{{ dict is mapping and not list is mapping and {} is mapping }}', 'True'],
    [
      '{{ list is sequence and text is sequence and dict is sequence and (1,) is sequence and not 5 is sequence }}',
      'True',
    ],
    [
      '{{ list is iterable and text is iterable and dict is iterable and range(2) is iterable and not 5 is iterable }}',
      'True',
    ],
    ['{{ range is callable and not text is callable and text.upper is callable }}', 'True'],
    ['{{ text is defined and not nope is defined and nope is undefined }}', 'True'],
    ["{{ '<'|safe is escaped and not '<' is escaped }}", 'True'],
    ['{{ range(3) is sequence }}', 'True'],
    ['{{ dict.items() is sequence }}', 'False'],
    ["{{ list|map('string') is sequence }}", 'False'],
    ["{{ list|map('string') is iterable }}", 'True'],
  ])('renders %j', (template, output) => {
    expect(render(template)).toBe(output)
  })
})

describe('numbers', () => {
  it.each([
    ['{{ 3 is odd and 2 is even and not 2 is odd }}', 'True'],
    ['{{ -3 is odd }}', 'True'],
    ['{{ 2.0 is even }}', 'True'],
    ['{{ 9 is divisibleby 3 }}', 'True'],
    ['{{ 9 is divisibleby(2) }}', 'False'],
  ])('renders %j', (template, output) => {
    expect(render(template)).toBe(output)
  })

  it.each([
    ["{{ 'a' is odd }}", 'TypeError'],
    ['{{ 9 is divisibleby 0 }}', 'ZeroDivisionError'],
  ])('fails on %j with %s', (template, exception) => {
    expect(findFailure(template)).toBe(exception)
  })
})

describe('comparing', () => {
  it.each([
    ['{{ 1 is eq 1.0 and 1 is equalto 1 and 1 is ne 2 }}', 'True'],
    ['{{ 1 is lt 2 and 1 is lessthan 2 and 2 is gt 1 and 2 is greaterthan 1 }}', 'True'],
    ['{{ 1 is le 1 and 1 is ge 1 }}', 'True'],
    ['{{ 1 is in [1, 2] and not 3 is in [1, 2] }}', 'True'],
    ["{{ 'a' is in 'abc' }}", 'True'],
    ['{{ none is sameas none and not 1 is sameas 1.0 }}', 'True'],
    ['{{ 1 is sameas true }}', 'False'],
  ])('renders %j', (template, output) => {
    expect(render(template)).toBe(output)
  })

  it.each([
    ['{{ 1 is == 1 }}', 'SyntaxError'],
    ["{{ 'a' is lt 1 }}", 'TypeError'],
    ["{{ 1 is in 'abc' }}", 'TypeError'],
  ])('fails on %j with %s', (template, exception) => {
    expect(findFailure(template)).toBe(exception)
  })
})

describe('text', () => {
  it.each([
    ["{{ 'ABC' is upper and 'abc' is lower and not 'Abc' is upper }}", 'True'],
    ["{{ '1' is upper }}", 'False'],
    ['{{ 5 is lower }}', 'False'],
  ])('renders %j', (template, output) => {
    expect(render(template)).toBe(output)
  })
})

describe('names', () => {
  it.each([["{{ 'upper' is filter and not 'nope' is filter and 'odd' is test and not 'nope' is test }}", 'True']])(
    'renders %j',
    (template, output) => {
      expect(render(template)).toBe(output)
    },
  )

  it.each([
    ['{{ [] is filter }}', 'TypeError'],
    ['{{ 1 is nope }}', 'SyntaxError'],
  ])('fails on %j with %s', (template, exception) => {
    expect(findFailure(template)).toBe(exception)
  })
})

describe('grammar', () => {
  it.each([
    ['{{ 5 is not none }}', 'True'],
    ['{{ not 5 is none }}', 'True'],
    ['{{ 1 is defined and 2 is defined }}', 'True'],
    ['{{ 3 is divisibleby 3 and 4 is even }}', 'True'],
    ['{{ 3 is divisibleby 3 is true }}', 'True'],
    ['{{ 1 + 1 is even }}', '1'],
    ['{{ -1 is lt 0 }}', 'True'],
    ['{{ [1] is eq [1] }}', 'True'],
  ])('renders %j', (template, output) => {
    expect(render(template)).toBe(output)
  })

  it.each([
    ['{{ 1 is not not none }}', 'SyntaxError'],
    ['{{ text is in }}', 'TypeError'],
  ])('fails on %j with %s', (template, exception) => {
    expect(findFailure(template)).toBe(exception)
  })
})
