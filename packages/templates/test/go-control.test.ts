import { describe, expect, it } from 'vitest'
import { GoTemplateExecError, GoTemplateSyntaxError } from '../src/go/index.ts'
import { render } from './go-render.ts'

// Expected texts are what Go 1.26 with sprig 3.3 wrote.
describe('actions', () => {
  it.each([
    ['{{range $i, $v := .none}}{{else}}{{$i}}{{$v}}{{end}}', '[][]'],
    ['{{range .list}}{{if eq . "b"}}{{continue}}{{else}}{{.}}{{end}}{{end}}', 'ac'],
    ['{{range .list}}{{with .}}{{break}}{{end}}{{end}}x', 'x'],
  ])('else in loops: %s', (template, output) => {
    expect(render(template)).toBe(output)
  })

  it.each([
    '{{range .list}}{{range .none}}{{else}}{{break}}{{end}}{{.}}{{end}}',
    '{{range .list}}{{range .none}}{{else}}{{continue}}{{end}}{{.}}{{end}}',
  ])('else in loops, failing when run: %s', (template) => {
    expect(() => render(template)).toThrow(GoTemplateExecError)
  })

  it.each([
    ['{{$x := 1}}{{if true}}{{$x := 2}}{{$x}}{{end}}{{$x}}', '21'],
    ['{{$x := 1}}{{if true}}{{$x = 2}}{{end}}{{$x}}', '2'],
    ['{{$i := 9}}{{$v := 9}}{{range $i, $v = .list}}{{$i}}{{$v}}{{end}}{{$i}}{{$v}}', '0a1b2c2c'],
    ['{{$v := 9}}{{range $v = .list}}{{end}}{{$v}}', 'c'],
    ['{{with $x := .n}}{{$x}}{{else}}{{$x}}{{end}}', '3'],
    ['{{if $x := .n}}{{else if $y := $x}}{{$y}}{{end}}', ''],
    ['{{if $x := .zero}}{{else if $y := 5}}{{$x}}{{$y}}{{end}}', '05'],
    ['{{$ := 5}}{{$}}', '5'],
    ['{{template "t" $x := 1}}{{$x}}{{define "t"}}{{.}}{{end}}', '11'],
  ])('variables: %s', (template, output) => {
    expect(render(template)).toBe(output)
  })

  it.each(['{{$x = 1}}'])('variables, failing when run: %s', (template) => {
    expect(() => render(template)).toThrow(GoTemplateExecError)
  })

  it.each([
    '{{$x, $y := .list}}',
    '{{range $x, $y, $z := .list}}{{end}}',
    '{{range $x, 1 := .list}}{{end}}',
    '{{$x}}',
    '{{if true}}{{$x := 1}}{{end}}{{$x}}',
  ])('variables, failing to compile: %s', (template) => {
    expect(() => render(template)).toThrow(GoTemplateSyntaxError)
  })

  it.each([
    ['{{define "a"}}A{{template "b" .}}{{end}}{{define "b"}}B{{.}}{{end}}{{template "a" 1}}', 'AB1'],
    ['{{define "prompt"}}x{{end}}', 'x'],
    ['{{if .no}}{{template "prompt"}}{{end}}x{{define "prompt"}} {{end}}', 'x'],
    ['{{block "b" .n}}{{.}}{{end}}{{block "c" .s}}{{len .}}{{end}}', '313'],
    [
      '{{define "t"}}{{.x}}{{end}}[{{template "t" .nul}}{{template "t" .nope}}{{template "t"}}]',
      '[<no value><no value><no value>]',
    ],
    ['{{range .mixed}}{{.}}{{end}}', '1two3.5true<no value>map[k:1][1 2]'],
    ['{{with .no}}1{{else with .zero}}2{{else with .n}}{{.}}{{else}}3{{end}}', '3'],
  ])('templates: %s', (template, output) => {
    expect(render(template)).toBe(output)
  })

  it.each(['{{range list nil}}{{.x}}{{end}}', '{{template "t" 1 2}}'])(
    'templates, failing when run: %s',
    (template) => {
      expect(() => render(template)).toThrow(GoTemplateExecError)
    },
  )

  it.each([
    '{{define "prompt"}}x{{end}}y',
    '{{define "t"}}{{end}}{{define "t"}}1{{end}}{{define "t"}} \\n{{end}}{{template "t"}}',
    '{{range .list}}{{block "b" .}}{{break}}{{end}}{{end}}',
    '{{define t}}{{end}}',
    '{{define "t" .}}{{end}}',
    '{{template}}',
    '{{block "b"}}{{end}}',
    '{{end}}',
    '{{else}}',
    '{{if 1}}{{else with 2}}{{end}}',
    '{{with 1}}{{else if 2}}{{end}}',
  ])('templates, failing to compile: %s', (template) => {
    expect(() => render(template)).toThrow(GoTemplateSyntaxError)
  })

  it.each([
    ['{{1 | print 2 | print 3}}', '32 1'],
    ['{{.list | first | upper}}', 'A'],
    ['{{("x") | print}}', 'x'],
    ['{{.list | len | eq 3}}', 'true'],
    ['{{print nil}}', '<nil>'],
    ['{{(dict "x" (dict "y" 7)).x.y}}', '7'],
    ['{{$.m.a}} {{$.deep.x}}', '1 map[y:map[z:bottom]]'],
    ['{{index .deep.arr 1 "k"}} {{(index .deep.arr 0).k}}', 'v1 v0'],
    ['{{print (print (print 1)) }}', '1'],
    ['{{print |}}', ''],
    ['{{print | }}', ''],
    ['{{dict.m.a 1}}', '<no value>'],
    ['{{and 1 2 | or 0}} {{0 | and 1}} {{1 | or 0 0}} {{or nil nil}}', '2 0 1 <no value>'],
  ])('pipelines: %s', (template, output) => {
    expect(render(template)).toBe(output)
  })

  it.each([
    '{{(1) 2}}',
    '{{1 2}}',
    '{{.n | .s}}',
    '{{nil | print}}',
    '{{(print 1).x}}',
    '{{(nil).x}}',
    '{{.m.a.b}}',
    '{{. | index "abc" 1}}',
    '{{not}}',
    '{{and}}',
    '{{len 1 2}}',
    '{{.m .n}}',
  ])('pipelines, failing when run: %s', (template) => {
    expect(() => render(template)).toThrow(GoTemplateExecError)
  })

  it.each([
    '{{"a" | "b"}}',
    '{{nil.x}}',
    '{{"a".x}}',
    '{{true.x}}',
    '{{ | print}}',
    '{{(}}',
    '{{)}}',
    '{{print (1}}',
    '{{print 1)}}',
  ])('pipelines, failing to compile: %s', (template) => {
    expect(() => render(template)).toThrow(GoTemplateSyntaxError)
  })

  it.each([
    ['a {{- /* x */ -}} b', 'ab'],
    ['a {{/* x */ -}} b', 'a b'],
    ['{{/* x */}}{{/**/}}', ''],
    ['{{- 3 -}} x', '3x'],
    ['{{-3}}', '-3'],
    ['{{3 -}} x', '3x'],
    ['a\\t {{- "b" -}} \\r\\n c', 'a\\tb\\r\\n c'],
    ['{{"}}"}}{{`}}`}}', '}}}}'],
    ['{{`a\\r\\nb`}}', 'a\\r\\nb'],
    ['{{.é}}{{.x1}}', '<no value><no value>'],
  ])('comments and trimming: %s', (template, output) => {
    expect(render(template)).toBe(output)
  })

  it.each([
    '{{ /* x */}}',
    '{{/* x */ }}',
    '{{/* x',
    '{{3-}}',
    '{{"a\\qb"}}',
    '{{"\\xZZ"}}',
    '{{"\\ud800"}}',
    '{{"\\400"}}',
    '{{"unterminated}}',
    '{{`unterminated}}',
    "{{'x}}",
    '{{.1a}}',
    '{{@}}',
    '{{a-b}}',
    '{{.n,.s}}',
    '{{"a"\\n}}',
    '{{print\\n1\\n2}}',
    '{{',
  ])('comments and trimming, failing to compile: %s', (template) => {
    expect(() => render(template)).toThrow(GoTemplateSyntaxError)
  })

  it.each([
    ['{{eq 1 1 2}} {{eq 1 2 1}} {{eq "a" "b"}} {{ne 1 2}}', 'true true false true'],
    [
      '{{eq (add 1 0) 1}} {{eq (index "a" 0) 97}} {{lt (index "a" 0) 98}} {{lt -1 (index "a" 0)}}',
      'true true true true',
    ],
    [
      '{{eq .nul nil}} {{eq .nul .nope}} {{eq .nul 1}} {{eq .none nil}} {{eq nil .list}}',
      'true true false false false',
    ],
    ['{{eq 2i 2i}} {{eq true true}}', 'true true'],
    ['{{lt "Z" "a"}} {{ge "é" "z"}} {{le 2 2}} {{gt 2.5 2.4}}', 'true true true true'],
    [
      '{{deepEqual 1 1.0}} {{deepEqual .list (list "a" "b" "c")}} {{deepEqual (list) .none}} {{deepEqual (rest .none) .none}} {{deepEqual (add 1) 1}}',
      'false true true false false',
    ],
  ])('comparisons: %s', (template, output) => {
    expect(render(template)).toBe(output)
  })

  it.each([
    '{{eq 1 "1"}}',
    '{{eq 1 1.0}}',
    '{{eq .list .list}}',
    '{{eq .m .list}}',
    '{{eq .list 1}}',
    '{{lt 2i 2i}}',
    '{{lt true false}}',
    '{{lt .nul 1}}',
    '{{lt 1 2.0}}',
    '{{eq 1}}',
  ])('comparisons, failing when run: %s', (template) => {
    expect(() => render(template)).toThrow(GoTemplateExecError)
  })

  it.each([
    [
      '{{index .list 0}} {{index "abc" 1}} {{index .m "zz"}}| {{index .n}} {{index (split "," "a") "zz"}}|',
      'a 98 <no value>| 3 |',
    ],
    ['{{index .list 0 0}}', '97'],
    ['{{index .list}}', '[a b c]'],
    ['{{len "héllo"}} {{len .m}} {{len .none}}', '6 3 0'],
  ])('index and len: %s', (template, output) => {
    expect(render(template)).toBe(output)
  })

  it.each([
    '{{index .list 3}}',
    '{{index .list -1}}',
    '{{index .list 1.0}}',
    '{{index .list "0"}}',
    '{{index .m 1}}',
    '{{index .m nil}}',
    '{{index nil 1}}',
    '{{index .nul "a"}}',
    '{{index .n 1}}',
    '{{len .n}}',
    '{{len nil}}',
    '{{len .nope}}',
    '{{call .n}}',
    '{{call nil}}',
    '{{call}}',
  ])('index and len, failing when run: %s', (template) => {
    expect(() => render(template)).toThrow(GoTemplateExecError)
  })

  it.each([
    [
      '{{range 3}}{{.}}{{end}} {{range -1}}x{{else}}none{{end}} {{range $i := 2}}{{$i}}{{end}} {{range (add 1 1)}}{{typeOf .}}{{end}}',
      '012 none 01 int64int64',
    ],
    ['{{range .nul}}x{{else}}none{{end}}{{range .nope}}x{{else}}none{{end}}', 'nonenone'],
    ['{{range $k, $v := .m}}{{$k}}{{$v}}{{end}}{{range $v := .m}}{{$v}}{{end}}', 'a1b2c3123'],
  ])('ranges: %s', (template, output) => {
    expect(render(template)).toBe(output)
  })

  it.each([
    '{{range $i, $j := 3}}{{end}}',
    '{{range 1.5}}{{end}}',
    '{{range "abc"}}{{end}}',
    '{{range true}}{{end}}',
    '{{range nil}}{{end}}',
  ])('ranges, failing when run: %s', (template) => {
    expect(() => render(template)).toThrow(GoTemplateExecError)
  })

  it.each(['{{range}}{{end}}', '{{range .list}}', '{{break}}', '{{range .list}}{{break 1}}{{end}}'])(
    'ranges, failing to compile: %s',
    (template) => {
      expect(() => render(template)).toThrow(GoTemplateSyntaxError)
    },
  )
})
