import { describe, expect, it } from 'vitest'
import {
  compileGoTemplate,
  DEFAULT_GO_TEMPLATE_LIMITS,
  GoTemplateLimitError,
  type GoTemplateLimits,
} from '../src/go/index.ts'

function render(template: string, limits: GoTemplateLimits, data: unknown = {}): string {
  return compileGoTemplate(template, { limits }).render(data)
}

function findLimit(template: string, limits: GoTemplateLimits = {}, data: unknown = {}): string {
  try {
    render(template, limits, data)
  } catch (error) {
    if (error instanceof GoTemplateLimitError) return error.limit
    throw error
  }
  return 'none'
}

describe('at a limit a template passes, one past it fails', () => {
  it.each([
    ['maxSourceBytes', 'ab', 'abc', 2],
    ['maxSourceBytes', 'é', 'éa', 2],
    ['maxParseDepth', '{{if 1}}{{(1)}}{{end}}', '{{if 1}}{{((1))}}{{end}}', 2],
    ['maxOutputBytes', '{{"é"}}a', '{{"é"}}ab', 3],
    ['maxOutputBytes', '{{$x := repeat 3 "a"}}', '{{$x := repeat 4 "a"}}', 3],
    ['maxOutputBytes', '{{$x := printf "%3d" 1}}', '{{$x := printf "%4d" 1}}', 3],
    ['maxOutputBytes', '{{$x := indent 1 "ab"}}', '{{$x := indent 1 "a\\n"}}', 3],
    ['maxOutputBytes', '{{$x := replace "b" "aa" "ab"}}', '{{$x := replace "" "aa" "ab"}}', 3],
    ['maxOutputBytes', '{{$x := join "" (list "a" "b" 1)}}', '{{$x := join "-" (list "a" "b" 1)}}', 3],
    ['maxOutputBytes', '{{$x := regexReplaceAll "b" "ab" "aa"}}', '{{$x := regexReplaceAll "." "ab" "aa"}}', 3],
    ['maxOutputBytes', '{{$x := toJson "a"}}', '{{$x := toJson "<"}}', 3],
    ['maxListLength', '{{range 3}}{{end}}', '{{range 4}}{{end}}', 3],
    ['maxListLength', '{{$x := until 3}}', '{{$x := until 4}}', 3],
    ['maxListLength', '{{$x := seq 3}}', '{{$x := seq 4}}', 3],
    ['maxListLength', '{{$x := append (list 1 2) 3}}', '{{$x := append (list 1 2 3) 4}}', 3],
    ['maxListLength', '{{$x := prepend (list 1 2) 3}}', '{{$x := prepend (list 1 2 3) 4}}', 3],
    ['maxListLength', '{{$x := concat (list 1 2) (list 3)}}', '{{$x := concat (list 1 2) (list 3 4)}}', 3],
    ['maxListLength', '{{$x := splitList "," "a,b,c"}}', '{{$x := splitList "," "a,b,c,d"}}', 3],
    ['maxListLength', '{{$x := splitList "" "abc"}}', '{{$x := splitList "" "abcd"}}', 3],
    ['maxListLength', '{{$x := regexFindAll "." "abc" -1}}', '{{$x := regexFindAll "." "abcd" -1}}', 3],
    ['maxListLength', '{{$x := regexSplit "," "a,b,c" -1}}', '{{$x := regexSplit "," "a,b,c,d" -1}}', 3],
    ['maxValueDepth', '{{list (list (list))}}', '{{list (list (list (list)))}}', 2],
    ['maxValueDepth', '{{toJson (list (list (list)))}}', '{{toJson (list (list (list (list))))}}', 2],
    ['maxValueDepth', '{{$x := fromJson "[[]]"}}', '{{$x := fromJson "[[[]]]"}}', 2],
    ['maxPatternBytes', '{{$x := regexMatch "abc" "x"}}', '{{$x := regexMatch "abcd" "x"}}', 3],
  ] as const)('%s: %s', (limit, passing, failing, most) => {
    expect(findLimit(passing, { [limit]: most })).toBe('none')
    expect(findLimit(failing, { [limit]: most })).toBe(limit)
  })

  it('maxTemplateDepth', () => {
    const template = '{{define "t"}}{{if .}}{{template "t" (rest .)}}{{end}}{{end}}{{template "t" .}}'
    expect(findLimit(template, { maxTemplateDepth: 4 }, [1, 2, 3])).toBe('none')
    expect(findLimit(template, { maxTemplateDepth: 4 }, [1, 2, 3, 4])).toBe('maxTemplateDepth')
  })

  it('maxSteps', () => {
    expect(findLimit('{{range 10}}x{{end}}', { maxSteps: 100 })).toBe('none')
    expect(findLimit('{{range 50}}x{{end}}', { maxSteps: 100 })).toBe('maxSteps')
  })

  it('maxValueDepth of data', () => {
    expect(findLimit('x', { maxValueDepth: 3 }, { a: { b: {} } })).toBe('none')
    expect(findLimit('x', { maxValueDepth: 3 }, { a: { b: { c: {} } } })).toBe('maxValueDepth')
  })
})

it('is an invalid request with its own code', () => {
  const error = expect.objectContaining({
    name: 'GoTemplateLimitError',
    kind: 'invalid_request',
    code: 'template_limit',
  })
  expect(() => render('{{range 9}}{{end}}', { maxListLength: 3 })).toThrow(error)
})

it('can be set again for one render', () => {
  const template = compileGoTemplate('{{range 9}}x{{end}}', { limits: { maxListLength: 5 } })
  expect(template.render({}, { limits: { maxListLength: 9 } })).toBe('xxxxxxxxx')
  expect(() => template.render({}, { limits: { maxListLength: undefined } })).toThrow(GoTemplateLimitError)
})

it('has defaults', () => {
  expect(DEFAULT_GO_TEMPLATE_LIMITS).toEqual({
    maxSourceBytes: 1_048_576,
    maxParseDepth: 100,
    maxSteps: 2_000_000,
    maxTemplateDepth: 100,
    maxOutputBytes: 16_777_216,
    maxListLength: 100_000,
    maxValueDepth: 200,
    maxPatternBytes: 1024,
    maxPatternMillis: 2000,
  })
})

describe('templates that would run for ever or fill the memory end', () => {
  it.each([
    ['endless recursion', '{{define "t"}}{{template "t" .}}{{end}}{{template "t" .}}'],
    [
      'recursion through deep blocks',
      `{{define "t"}}${'{{if 1}}'.repeat(90)}{{template "t"}}${'{{end}}'.repeat(90)}{{end}}{{template "t"}}`,
    ],
    ['doubling a string', '{{$s := "aaaaaaaa"}}{{range 60}}{{$s = print $s $s}}{{end}}'],
    ['doubling a list', '{{$l := list 1 2 3}}{{range 60}}{{$l = concat $l $l}}{{end}}'],
    ['printing a list of lists of lists', '{{$l := list 1}}{{range 60}}{{$l = list $l $l}}{{end}}{{$l}}'],
    [
      'comparing such lists',
      '{{$l := list 1}}{{$m := list 1}}{{range 60}}{{$l = list $l $l}}{{$m = list $m $m}}{{end}}{{deepEqual $l $m}}',
    ],
    ['copying such lists', '{{$l := list 1}}{{range 60}}{{$l = list $l $l}}{{end}}{{$c := deepCopy $l}}'],
    ['a map inside itself, printed', '{{$d := dict}}{{$_ := set $d "d" $d}}{{$d}}'],
    ['a map inside itself, as JSON', '{{$d := dict}}{{$_ := set $d "d" $d}}{{toJson $d}}'],
    ['a map inside itself, copied', '{{$d := dict}}{{$_ := set $d "d" $d}}{{$c := deepCopy $d}}'],
    [
      'maps inside themselves, merged',
      '{{$d := dict}}{{$_ := set $d "d" $d}}{{$e := dict}}{{$_ := set $e "d" $e}}{{merge $d $e}}',
    ],
    [
      'maps inside themselves, compared',
      '{{$d := dict}}{{$_ := set $d "d" $d}}{{$e := dict}}{{$_ := set $e "d" $e}}{{deepEqual $d $e}}',
    ],
    ['loops in loops', '{{range until 100000}}{{range until 100000}}{{end}}{{end}}'],
    ['a large text again and again', '{{$s := repeat 9999999 "é"}}{{range until 99999}}{{$x := upper $s}}{{end}}'],
    ['wide columns', '{{range until 99999}}{{$x := printf "%9999999d" 1}}{{end}}'],
    ['one argument many times', '{{printf (repeat 99999 "%[1]s") (repeat 9999 "a")}}'],
    ['hexadecimal', '{{$s := repeat 1000000 "a"}}{{range until 99999}}{{$x := printf "%x" $s}}{{end}}'],
    ['base 64', '{{$s := repeat 1000000 "a"}}{{range until 99999}}{{$x := b64enc $s}}{{end}}'],
    ['entities', '{{$s := repeat 1000000 "<"}}{{range until 99999}}{{$x := html $s}}{{end}}'],
    ['words', '{{$s := repeat 1000000 "a "}}{{range until 99999}}{{$x := camelcase $s}}{{end}}'],
    ['a repeated text', '{{repeat 999999999 "a"}}'],
    ['a long list', '{{until 999999999}}'],
    ['a long sequence', '{{seq 0 999999999}}'],
    ['steps without end', '{{untilStep 0 999999999 1}}'],
    ['a wide margin', '{{indent 999999999 "a"}}'],
    ['a long pattern', '{{regexMatch (repeat 1025 "a") "a"}}'],
    ['maps in maps', '{{$d := dict}}{{range until 99999}}{{$d = dict "d" $d}}{{end}}{{$d}}'],
    ['many variables', `${'{{$v := 1}}'.repeat(20_000)}{{range until 99999}}{{$}}{{end}}`],
    ['patterns without end', '{{range until 99999}}{{$x := regexMatch (printf "(a{900}b{900}%d)" .) "x"}}{{end}}'],
    ['an ambiguous pattern on a long text', '{{regexMatch "((a*)*)*b" (repeat 9999999 "a")}}'],
  ])(
    '%s',
    (_, template) => {
      expect(() => render(template, {})).toThrow(GoTemplateLimitError)
    },
    60_000,
  )

  it('also where every match of a pattern reads to the end', () => {
    const template = '{{regexReplaceAll "a.*z|a" (repeat 99999 "a") "b"}}'
    expect(findLimit(template, { maxPatternMillis: 50 })).toBe('maxPatternMillis')
  })
})
