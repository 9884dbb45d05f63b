import { describe, expect, it } from 'vitest'
import { findFailure, render } from './jinja-render.ts'

describe('upper, lower, capitalize, title', () => {
  it.each([
    ['{{ text|upper }}', 'HELLO WÖRLD'],
    ['{{ text|lower }}', 'hello wörld'],
    ["{{ 'hELLO wORLD'|capitalize }}", 'Hello world'],
    ["{{ 'hELLO wORLD-foo (bar) [baz] {q} <z'|title }}", 'Hello World-Foo (Bar) [Baz] {Q} <Z'],
    ["{{ 'ß'|upper }}", 'SS'],
    ["{{ 'straße'|capitalize }}", 'Straße'],
    ['{{ 5|upper }}', '5'],
    ['{{ none|lower }}', 'none'],
    ["{{ [1, 'a']|upper }}", "[1, 'A']"],
    ['{{ true|lower }}', 'true'],
  ])('renders %j', (template, output) => {
    expect(render(template)).toBe(output)
  })
})

describe('trim, center, indent', () => {
  it.each([
    ["{{ '  a b \\n'|trim }}", 'a b'],
    ["{{ 'xxaxx'|trim('x') }}", 'a'],
    ["{{ '😀a😀'|trim('😀') }}", 'a'],
    ["{{ 'xyaxy'|trim('yx') }}", 'a'],
    ["{{ ''|trim }}", ''],
    ["{{ 'ab'|center(7) }}", '   ab  '],
    ["{{ 'abc'|center(6) }}", ' abc  '],
    ["{{ 'ab'|center(1) }}", 'ab'],
    ["{{ 'ab'|center(-5) }}", 'ab'],
    ["{{ 'ab'|center|length }}", '80'],
    ["{{ 'a\\nb\\n\\nc'|indent }}", 'a\n    b\n\n    c'],
    ["{{ 'a\\nb\\n\\nc'|indent(2, true) }}", '  a\n  b\n\n  c'],
    ["{{ 'a\\nb\\n\\nc'|indent(2, true, true) }}", '  a\n  b\n  \n  c'],
    ["{{ 'a\\nb'|indent('> ') }}", 'a\n> b'],
    ["{{ 'a\\nb'|indent(width=1, first=true) }}", ' a\n b'],
    ["{{ 'a\\n'|indent(2) }}", 'a\n'],
  ])('renders %j', (template, output) => {
    expect(render(template)).toBe(output)
  })

  it.each([['{{ 5|indent }}', 'TypeError']])('fails on %j with %s', (template, exception) => {
    expect(findFailure(template)).toBe(exception)
  })
})

describe('replace', () => {
  it.each([
    ["{{ 'aaa'|replace('a', 'b') }}", 'bbb'],
    ["{{ 'aaa'|replace('a', 'b', 2) }}", 'bba'],
    ["{{ 'abc'|replace('', '-') }}", '-a-b-c-'],
    ["{{ 'abc'|replace('', '-', 2) }}", '-a-bc'],
    ["{{ 'abc'|replace('x', 'y') }}", 'abc'],
    ["{{ 'a1a'|replace(1, 2) }}", 'a2a'],
  ])('renders %j', (template, output) => {
    expect(render(template)).toBe(output)
  })

  it.each([["{{ 'a'|replace('a') }}", 'TypeError']])('fails on %j with %s', (template, exception) => {
    expect(findFailure(template)).toBe(exception)
  })
})

describe('truncate', () => {
  it.each([
    ["{{ 'foo bar baz qux'|truncate(9) }}", 'foo...'],
    ["{{ 'foo bar baz qux'|truncate(9, true) }}", 'foo ba...'],
    ["{{ 'foo bar baz qux'|truncate(11) }}", 'foo bar baz qux'],
    ["{{ 'foo bar baz qux'|truncate(9, true, '…', 0) }}", 'foo bar …'],
    ["{{ 'foo bar baz qux'|truncate(9, end='') }}", 'foo bar'],
    ["{{ 'foobarbazqux'|truncate(8, leeway=0) }}", 'fooba...'],
    ["{{ 'short'|truncate }}", 'short'],
  ])('renders %j', (template, output) => {
    expect(render(template)).toBe(output)
  })

  it.each([
    ["{{ 'foo bar'|truncate(2) }}", 'AssertionError'],
    ["{{ 'foo bar'|truncate(5, leeway=-1) }}", 'AssertionError'],
  ])('fails on %j with %s', (template, exception) => {
    expect(findFailure(template)).toBe(exception)
  })
})

describe('wordwrap, wordcount', () => {
  it.each([
    ["{{ 'foo bar baz'|wordwrap(7) }}", 'foo bar\nbaz'],
    ["{{ 'foo-bar-baz'|wordwrap(5) }}", 'foo-\nbar-\nbaz'],
    ["{{ 'foo-bar-baz'|wordwrap(5, break_on_hyphens=false) }}", 'foo-b\nar-ba\nz'],
    ["{{ 'foobarbaz'|wordwrap(4) }}", 'foob\narba\nz'],
    ["{{ 'foobarbaz'|wordwrap(4, false) }}", 'foobarbaz'],
    ["{{ 'a b\\nc d e'|wordwrap(3) }}", 'a b\nc d\ne'],
    ["{{ 'foo bar'|wordwrap(3, true, '|') }}", 'foo|bar'],
    ["{{ 'a  b'|wordwrap(2) }}", 'a\nb'],
    ["{{ 'foo -- bar--baz'|wordwrap(6) }}", 'foo --\nbar--\nbaz'],
    ["{{ ''|wordwrap(3) }}", ''],
    ["{{ 'one two, three-four 5'|wordcount }}", '5'],
    ["{{ ''|wordcount }}", '0'],
    ["{{ 'héllo wörld'|wordcount }}", '2'],
  ])('renders %j', (template, output) => {
    expect(render(template)).toBe(output)
  })

  it.each([
    ["{{ 'a b'|wordwrap(0) }}", 'ValueError'],
    ['{{ 5|wordwrap }}', 'AttributeError'],
  ])('fails on %j with %s', (template, exception) => {
    expect(findFailure(template)).toBe(exception)
  })
})

describe('format, string', () => {
  it.each([
    ["{{ '%s and %s'|format('a', 'b') }}", 'a and b'],
    ["{{ '%(a)s'|format(a=1) }}", '1'],
    ['{{ 5|string }}', '5'],
    ["{{ [1, 'a', none, 1.0]|string }}", "[1, 'a', None, 1.0]"],
    ['{{ text|string }}', 'Hello wörld'],
  ])('renders %j', (template, output) => {
    expect(render(template)).toBe(output)
  })

  it.each([
    ["{{ '%d'|format('a') }}", 'TypeError'],
    ["{{ '%s'|format }}", 'TypeError'],
    ["{{ '%s %(a)s'|format(1, a=2) }}", 'FilterArgumentError'],
  ])('fails on %j with %s', (template, exception) => {
    expect(findFailure(template)).toBe(exception)
  })
})

describe('escape and tags', () => {
  it.each([
    ["{{ '<a href=\"x\">\\'&amp;'|e }}", '&lt;a href=&#34;x&#34;&gt;&#39;&amp;amp;'],
    ["{{ '<b>'|escape|escape }}", '&lt;b&gt;'],
    ["{{ '<b>'|e|forceescape }}", '&amp;lt;b&amp;gt;'],
    ["{{ '<b>'|safe|e }}", '<b>'],
    ["{{ '<p>a  <!-- x --> b</p>\\n c &amp; &lt;'|striptags }}", 'a b c & <'],
    ['{{ 5|e }}', '5'],
    ["{{ {'a': 'x y', 'b': '<', 'c': none}|xmlattr }}", ' a="x y" b="&lt;"'],
    ["{{ {'a': 1}|xmlattr(false) }}", 'a="1"'],
    ['{{ {}|xmlattr }}', ''],
    ["{{ 'a b/ü?&='|urlencode }}", 'a%20b/%C3%BC%3F%26%3D'],
    ["{{ {'a': 1, 'b c': 'ü'}|urlencode }}", 'a=1&b+c=%C3%BC'],
    ["{{ [('a', 1), ('b', '/')]|urlencode }}", 'a=1&b=%2F'],
    ['{{ 5|urlencode }}', '5'],
  ])('renders %j', (template, output) => {
    expect(render(template)).toBe(output)
  })

  it.each([
    ["{{ {'a b': 1}|xmlattr }}", 'ValueError'],
    ['{{ 5|xmlattr }}', 'AttributeError'],
  ])('fails on %j with %s', (template, exception) => {
    expect(findFailure(template)).toBe(exception)
  })
})
