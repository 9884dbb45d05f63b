import { describe, expect, it } from 'vitest'
import { GoTemplateExecError } from '../src/go/index.ts'
import { render } from './go-render.ts'

// Expected texts are what Go 1.26 with sprig 3.3 wrote.
describe('choosing, types and JSON', () => {
  it.each([
    [
      '{{default 1 0}} {{default 1 nil}} {{default 1 "x"}} {{default 1}} {{default 1 .nope}} {{default 1 2 3}} {{.empty | default "d"}}',
      '1 1 x 1 1 2 d',
    ],
    [
      '{{empty 0}} {{empty .none}} {{empty nil}} {{empty "x"}} {{empty 0.0}} {{empty 0i}} {{empty (semver "1")}} {{empty (toDate "2006" "2024")}}',
      'true true true false true true false false',
    ],
    ['{{coalesce 0 "" nil "x" "y"}} {{coalesce 0}} {{coalesce}}', 'x <no value> <no value>'],
    ['{{all 1 "a"}} {{all 1 0}} {{all}} {{any 0 ""}} {{any 0 1}} {{any}}', 'true false true false true false'],
    ['{{ternary "a" "b" true}} {{false | ternary "a" "b"}}', 'a b'],
  ])('choosing: %s', (template, output) => {
    expect(render(template)).toBe(output)
  })

  it.each(['{{default}}', '{{ternary 1 2 3}}', '{{fail "x"}}', '{{fail 1}}'])(
    'choosing, failing when run: %s',
    (template) => {
      expect(() => render(template)).toThrow(GoTemplateExecError)
    },
  )

  it.each([
    [
      '{{kindOf 1}} {{kindOf 1.5}} {{kindOf "s"}} {{kindOf true}} {{kindOf .list}} {{kindOf .m}} {{kindOf nil}} {{kindOf (semver "1")}} {{kindOf 2i}}',
      'int float64 string bool slice map invalid ptr complex128',
    ],
    [
      '{{typeOf 1}} {{typeOf (add 1)}} {{typeOf .list}} {{typeOf .m}} {{typeOf nil}} {{typeOf (semver "1")}} {{typeOf (split "," "a")}} {{typeOf (index "a" 0)}}',
      'int int64 []interface {} map[string]interface {} <nil> *semver.Version map[string]string uint8',
    ],
    [
      '{{typeIs "int" 1}} {{typeIs "int64" 1}} {{typeIsLike "semver.Version" (semver "1")}} {{kindIs "map" .m}} {{kindIs "invalid" nil}}',
      'true false true true true',
    ],
    ['{{toString 1.5}}{{toString nil}}{{toString .list}}', '1.5<nil>[a b c]'],
  ])('types: %s', (template, output) => {
    expect(render(template)).toBe(output)
  })

  it.each([
    [
      '{{toJson .mixed}} {{toJson .m}} {{toJson "a\\"b/é<>&\\u2028\\x7f\\x00\\b\\f\\r\\n\\t\\\\"}} {{toJson nil}}',
      '[1,"two",3.5,true,null,{"k":1},[1,2]] {"a":1,"b":2,"c":3} "a\\"b/é\\u003c\\u003e\\u0026\\u2028\u007f\\u0000\\b\\f\\r\\n\\t\\\\" null',
    ],
    [
      '{{toJson 1.0}} {{toJson 1e20}} {{toJson 1e21}} {{toJson 1e-6}} {{toJson 1e-7}} {{toJson -0.0}} {{toJson 123456789.125}}',
      '1 100000000000000000000 1e+21 0.000001 1e-7 -0 123456789.125',
    ],
    ['{{toRawJson (dict "a" "<&>" "b" "\\u2029é")}}', '{"a":"<&>","b":"\\u2029é"}'],
    [
      '{{toPrettyJson .deep}} {{toPrettyJson .none}} {{toPrettyJson (dict)}} {{toPrettyJson 1}}',
      '{\n  "arr": [\n    {\n      "k": "v0"\n    },\n    {\n      "k": "v1"\n    }\n  ],\n  "x": {\n    "y": {\n      "z": "bottom"\n    }\n  }\n} [] {} 1',
    ],
    ['{{toJson "\\xff"}} {{toJson 2i}}| {{toJson (list 1 2i)}}|', '"\\ufffd" | |'],
    ['{{toJson (float64 "nan")}}|', '|'],
    [
      '{{toJson (rest .none)}} {{toJson (list (semver "1.2.3+x") (toDate "2006" "2024"))}}',
      'null ["1.2.3+x","2024-01-01T00:00:00Z"]',
    ],
  ])('writing JSON: %s', (template, output) => {
    expect(render(template)).toBe(output)
  })

  it.each(['{{mustToJson 2i}}', '{{toRawJson 2i}}', '{{mustToPrettyJson (float64 "inf")}}'])(
    'writing JSON, failing when run: %s',
    (template) => {
      expect(() => render(template)).toThrow(GoTemplateExecError)
    },
  )

  it.each([
    [
      '{{$o := fromJson "{\\"b\\":[true,null,1.50,\\"x\\"],\\"a\\":12345678}"}}{{$o}} {{toJson $o}} {{typeOf $o.a}}',
      'map[a:1.2345678e+07 b:[true <nil> 1.5 x]] {"a":12345678,"b":[true,null,1.5,"x"]} float64',
    ],
    [
      '[{{fromJson "{bad"}}] [{{fromJson ""}}] [{{fromJson "1 2"}}] {{fromJson " 1 "}}',
      '[<no value>] [<no value>] [<no value>] 1',
    ],
    [
      '{{fromJson "{\\"a\\":1,\\"a\\":2}"}} {{fromJson "[1e400,2]" | toJson}} {{fromJson "\\"\\\\ud800\\\\u00e9\\"" | toJson}}',
      'map[a:2] [null,2] "\ufffdé"',
    ],
    [
      '{{fromJson "{\\"__proto__\\":{\\"x\\":1},\\"constructor\\":2}" | toJson}} {{(fromJson "{\\"a\\":1}").constructor}}',
      '{"__proto__":{"x":1},"constructor":2} <no value>',
    ],
  ])('reading JSON: %s', (template, output) => {
    expect(render(template)).toBe(output)
  })

  it.each(['{{mustFromJson "{bad"}}', '{{mustFromJson "[1,]"}}', '{{mustFromJson "[1e400]"}}', '{{fromJson 1}}'])(
    'reading JSON, failing when run: %s',
    (template) => {
      expect(() => render(template)).toThrow(GoTemplateExecError)
    },
  )
})
