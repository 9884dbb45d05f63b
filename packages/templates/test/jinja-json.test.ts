import { describe, expect, it } from 'vitest'
import { findFailure, render } from './jinja-render.ts'

describe('values', () => {
  it.each([
    [
      "{{ [1, 1.0, -0.0, 1e22, 1.5e-7, true, false, none, 'a', [], {}, (1, 2)]|tojson }}",
      '[1, 1.0, -0.0, 1e+22, 1.5e-07, true, false, null, "a", [], {}, [1, 2]]',
    ],
    ['{{ big|tojson }}', '12345678901234567890'],
    ['{{ dict|tojson }}', '{"10": [1], "b": 2, "a": 1}'],
    ["{{ '<>&\\''|tojson }}", '"<>&\'"'],
    ["{{ '\"\\\\/\\n\\r\\t\\b\\f\\x00\\x1f\\x7f'|tojson }}", '"\\"\\\\/\\n\\r\\t\\b\\f\\u0000\\u001f\u007f"'],
    ["{{ 'ü😀\\u2028'|tojson }}", '"ü😀\u2028"'],
    ["{{ 'ü😀\\x7f\\u2028'|tojson(ensure_ascii=true) }}", '"\\u00fc\\ud83d\\ude00\\u007f\\u2028"'],
    ["{{ {'a': {'b': [1, {'c': none}]}}|tojson }}", '{"a": {"b": [1, {"c": null}]}}'],
    [
      "{{ {1: 'a', 1.5: 'b', true: 'c', none: 'd', big: 'e'}|tojson }}",
      '{"1": "c", "1.5": "b", "null": "d", "12345678901234567890": "e"}',
    ],
    ["{{ {'b': 1, 'a': 2}|tojson(sort_keys=true) }}", '{"a": 2, "b": 1}'],
    ["{{ {'b': 1, 'a': 2}|tojson }}", '{"b": 1, "a": 2}'],
    [
      "{{ [[], {}, [[]], {'a': []}]|tojson(indent=2) }}",
      '[\n  [],\n  {},\n  [\n    []\n  ],\n  {\n    "a": []\n  }\n]',
    ],
    ["{{ {'a': [1, 2], 'b': {}}|tojson(indent=4) }}", '{\n    "a": [\n        1,\n        2\n    ],\n    "b": {}\n}'],
    ['{{ [1, [2]]|tojson(indent=0) }}', '[\n1,\n[\n2\n]\n]'],
    ["{{ [1, [2]]|tojson(indent='\\t') }}", '[\n\t1,\n\t[\n\t\t2\n\t]\n]'],
    ["{{ [1, {'a': 2}]|tojson(separators=(',', ':')) }}", '[1,{"a":2}]'],
    ["{{ [1, {'a': 2}]|tojson(indent=1, separators=(' ,', ' : ')) }}", '[\n 1 ,\n {\n  "a" : 2\n }\n]'],
    ["{{ '1e999'|float|tojson }}", 'Infinity'],
    ["{{ ('nan'|float)|tojson }}", 'NaN'],
    ["{{ 'a'|safe|tojson }}", '"a"'],
    ["{{ [('a', 1)]|tojson }}", '[["a", 1]]'],
  ])('renders %j', (template, output) => {
    expect(render(template)).toBe(output)
  })
})

describe('invalid JSON', () => {
  it.each([
    ['{{ nope|tojson }}', 'TypeError'],
    ['{{ range(2)|tojson }}', 'TypeError'],
    ['{{ {(1, 2): 3}|tojson }}', 'TypeError'],
    ["{{ list|map('string')|tojson }}", 'TypeError'],
    ['{{ dict.keys()|tojson }}', 'TypeError'],
    ['{{ namespace()|tojson }}', 'TypeError'],
    ['{{ text.upper|tojson }}', 'TypeError'],
    ["{{ 'a'.encode()|tojson }}", 'TypeError'],
    ["{{ {1: 1, 'a': 2}|tojson(sort_keys=true) }}", 'TypeError'],
    ['{{ [1]|tojson(nope=1) }}', 'TypeError'],
    ["{{ [1]|tojson(separators=',') }}", 'ValueError'],
  ])('fails on %j with %s', (template, exception) => {
    expect(findFailure(template)).toBe(exception)
  })
})
