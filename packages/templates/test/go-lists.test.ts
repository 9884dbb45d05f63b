import { describe, expect, it } from 'vitest'
import { GoTemplateExecError } from '../src/go/index.ts'
import { render } from './go-render.ts'

// Expected texts are what Go 1.26 with sprig 3.3 wrote.
describe('list and dict functions', () => {
  it.each([
    ['{{first .list}}{{last .list}} {{rest .list}}{{initial .list}}', 'ac [b c][a b]'],
    ['{{first .none}} {{rest .none | toJson}} {{initial .none | toJson}}', '<no value> null null'],
    ['{{mustLast .nums}}', '2'],
    ['{{reverse .mixed}}', '[[1 2] map[k:1] <nil> true 3.5 two 1]'],
    ['{{slice .list 1}} {{slice .list 0 2}} {{slice .list}} {{slice .none 1}}', '[b c] [a b] [a b c] <no value>'],
    ['{{slice .list "1"}}', '[b c]'],
  ])('ends of lists: %s', (template, output) => {
    expect(render(template)).toBe(output)
  })

  it.each([
    '{{first "abc"}}',
    '{{first nil}}',
    '{{first .m}}',
    '{{reverse nil}}',
    '{{slice .list 2 1}}',
    '{{slice .list 0 9}}',
    '{{slice "abc" 1}}',
  ])('ends of lists, failing when run: %s', (template) => {
    expect(() => render(template)).toThrow(GoTemplateExecError)
  })

  it.each([
    ['{{list 1 "a" nil | toJson}} {{tuple 1}}', '[1,"a",null] [1]'],
    ['{{append .list "d"}} {{.list}} {{prepend .list "z"}} {{push .none 1}}', '[a b c d] [a b c] [z a b c] [1]'],
    ['{{concat .list (list 1) .none | toJson}}', '["a","b","c",1]'],
    ['{{concat | toJson}} {{concat .none | toJson}}', 'null null'],
    ['{{until 3}} {{until -3}} {{until 0 | toJson}}', '[0 1 2] [0 -1 -2] []'],
    ['{{untilStep 2 9 3}} {{untilStep 9 2 -3}} {{untilStep 1 5 0}} {{untilStep 5 1 1}}', '[2 5 8] [9 6 3] [] []'],
    [
      '{{seq 5}}|{{seq -2}}|{{seq 0}}|{{seq 2 5}}|{{seq 0 2 10}}|{{seq 5 1}}|{{seq 0 -1 -3}}|{{seq 3 1 1}}|{{seq}}|{{seq 1 2 3 4}}',
      '1 2 3 4 5|1 0 -1 -2|1 0|2 3 4 5|0 2 4 6 8 10|5 4 3 2 1|0 -1 -2 -3|||',
    ],
    ['{{chunk 2 (list 1 2 3) | toJson}} {{chunk 2 .none | toJson}}', '[[1,2],[3]] []'],
    ['{{typeOf (chunk 1 .list)}} {{typeOf (until 1)}} {{typeOf (keys .m)}}', '[][]interface {} []int []string'],
  ])('making lists: %s', (template, output) => {
    expect(render(template)).toBe(output)
  })

  it.each(['{{concat .list "x"}}', '{{append "x" 1}}', '{{chunk 0 .list}}'])(
    'making lists, failing when run: %s',
    (template) => {
      expect(() => render(template)).toThrow(GoTemplateExecError)
    },
  )

  it.each([
    [
      '{{has "b" .list}} {{has 3 .nums}} {{has 3.0 .nums}} {{has nil .mixed}} {{has 1 nil}}',
      'true true false true false',
    ],
    ['{{without .list "b"}} {{without .mixed 1 nil (list 1 2)}}', '[a c] [two 3.5 true map[k:1]]'],
    ['{{uniq (list 1 2 1 "1" (list 1) (list 1))}}', '[1 2 1 [1]]'],
    ['{{compact (list 1 0 "" "a" nil false .none)}}', '[1 a]'],
  ])('searching lists: %s', (template, output) => {
    expect(render(template)).toBe(output)
  })

  it.each(['{{has 1 "x"}}', '{{uniq 5}}'])('searching lists, failing when run: %s', (template) => {
    expect(() => render(template)).toThrow(GoTemplateExecError)
  })

  it.each([
    ['{{dict "b" 1 "a" "x" 3}}', 'map[3: a:x b:1]'],
    ['{{dict 1 2 nil 3 | toJson}}', '{"1":2,"\\u003cnil\\u003e":3}'],
    ['{{dict}}', 'map[]'],
    ['{{$d := dict "a" 1}}{{$_ := set $d "b" 2}}{{$_ := unset $d "a"}}{{$d}}', 'map[b:2]'],
    ['{{$c := deepCopy .m}}{{$_ := set $c "a" 9}}{{.m.a}} {{$c.a}}', '1 9'],
    ['{{$_ := set .m "n" 1}}{{.m}}', 'map[a:1 b:2 c:3 n:1]'],
  ])('making dicts: %s', (template, output) => {
    expect(render(template)).toBe(output)
  })

  it.each(['{{set .nope "a" 1}}', '{{deepCopy nil}}'])('making dicts, failing when run: %s', (template) => {
    expect(() => render(template)).toThrow(GoTemplateExecError)
  })

  it.each([
    ['{{get .m "a"}} [{{get .m "zz"}}] {{hasKey .m "b"}} {{hasKey .m "zz"}}', '1 [] true false'],
    ['{{get .nope "a"}}|{{get nil "a"}}|', '||'],
    ['{{keys .m | sortAlpha}} {{keys .m (dict "z" 1) | sortAlpha}} {{keys}}', '[a b c] [a b c z] []'],
    ['{{values .m | sortAlpha}}', '[1 2 3]'],
    ['{{$s := splitList "," "b,c,a"}}{{$t := $s}}{{sortAlpha $s}} {{$s}} {{$t}}', '[a b c] [a b c] [a b c]'],
    ['{{$s := list "b" "c" "a"}}{{sortAlpha $s}} {{$s}}', '[a b c] [b c a]'],
    ['{{pluck "k" (index .deep.arr 0) .m (index .deep.arr 1)}}', '[v0 v1]'],
    ['{{pick .m "a" "zz"}} {{omit .m "a" "b"}}', 'map[a:1] map[c:3]'],
    ['{{dig "x" "y" "z" "none" .deep}} {{dig "x" "q" "none" .deep}} {{dig "q" nil .deep}}', 'bottom none <no value>'],
  ])('reading dicts: %s', (template, output) => {
    expect(render(template)).toBe(output)
  })

  it.each([
    '{{get .list "a"}}',
    '{{get .nul "a"}}',
    '{{get (split "," "a") "_0"}}',
    '{{dig "x" .deep}}',
    '{{dig "x" "y" "z" "w" "none" .deep}}',
    '{{dig 1 "none" .deep}}',
    '{{dig "q" 1 "none" .deep}}',
    '{{dig "a" "none" .list}}',
  ])('reading dicts, failing when run: %s', (template) => {
    expect(() => render(template)).toThrow(GoTemplateExecError)
  })

  it.each([
    ['{{toJson (merge (dict "a" 1) (dict "a" 2 "b" 3))}}', '{"a":1,"b":3}'],
    ['{{toJson (mergeOverwrite (dict "a" 1) (dict "a" 2 "b" 3))}}', '{"a":2,"b":3}'],
    [
      '{{toJson (merge (dict "a" (dict "x" 1 "e" "")) (dict "a" (dict "x" 2 "y" 3 "e" 4) "c" nil))}}',
      '{"a":{"e":4,"x":1,"y":3}}',
    ],
    [
      '{{toJson (mergeOverwrite (dict "a" (dict "x" 1)) (dict "a" (dict "x" 0 "y" 3) "c" nil))}}',
      '{"a":{"x":0,"y":3},"c":null}',
    ],
    ['{{toJson (merge (dict "a" (list 1) "b" (list)) (dict "a" (list 2) "b" (list 3)))}}', '{"a":[1],"b":[3]}'],
    [
      '{{toJson (mergeOverwrite (dict "a" (list 1) "b" "s") (dict "a" (list 2) "b" (dict "k" 1)))}}',
      '{"a":[2],"b":{"k":1}}',
    ],
    ['{{$d := dict "a" 0}}{{$_ := merge $d (dict "a" 1)}}{{$d}}', 'map[a:1]'],
    ['{{merge .nope (dict "a" 1)}} {{toJson (merge .nope .nope)}}', 'map[a:1] null'],
    ['{{merge (dict "a" 1) (dict "b" 2) (dict "b" 3 "c" 4)}}', 'map[a:1 b:2 c:4]'],
  ])('merging dicts: %s', (template, output) => {
    expect(render(template)).toBe(output)
  })

  it.each(['{{merge (dict) .list}}'])('merging dicts, failing when run: %s', (template) => {
    expect(() => render(template)).toThrow(GoTemplateExecError)
  })
})
