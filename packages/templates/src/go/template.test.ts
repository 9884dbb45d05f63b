import { SvcError } from '@svc/errors'
import { describe, expect, it } from 'vitest'
import { compileGoTemplate, GoTemplateExecError, GoTemplateSyntaxError } from './index.ts'

function catchError(run: () => unknown): unknown {
  try {
    run()
  } catch (error) {
    return error
  }
  return undefined
}

describe('a compiled template', () => {
  it('renders again and again without a trace of the last time', () => {
    const template = compileGoTemplate('{{$_ := set . "n" (add .n 1)}}{{.n}}')
    expect([template.render({ n: 1n }), template.render({ n: 1n })]).toEqual(['2', '2'])
  })

  it('takes no data for nil', () => {
    expect(compileGoTemplate('{{.}}{{.x}}').render(undefined)).toBe('<no value><no value>')
  })

  it('calls itself by its name', () => {
    const source = '{{if .}}{{first .}}{{template "loop" (rest .)}}{{end}}'
    expect(compileGoTemplate(source, { name: 'loop' }).render(['a', 'b', 'c'])).toBe('abc')
  })

  it('keeps every character', () => {
    expect(compileGoTemplate('日本\ufeff😀{{.}}é').render('ü\u0000😀')).toBe('日本\ufeff😀ü\u0000😀é')
  })

  it('puts cut characters together again and shows U+FFFD for the rest', () => {
    expect(compileGoTemplate('{{substr 0 1 .}}{{substr 1 2 .}}|{{trunc 1 .}}').render('é')).toBe('é|\ufffd')
  })
})

describe('errors', () => {
  it('of syntax come when compiling, with line and code', () => {
    const error = catchError(() => compileGoTemplate('a\n{{if}}'))
    expect(error).toBeInstanceOf(GoTemplateSyntaxError)
    expect(error).toMatchObject({
      name: 'GoTemplateSyntaxError',
      line: 2,
      kind: 'invalid_request',
      code: 'template_syntax',
    })
    expect(SvcError.is(error)).toBe(true)
  })

  it('of execution come when rendering, with the line of the action', () => {
    const template = compileGoTemplate('a\n\n{{print\n(index .list 9)}}')
    const error = catchError(() => template.render({ list: [] }))
    expect(error).toBeInstanceOf(GoTemplateExecError)
    expect(error).toMatchObject({
      name: 'GoTemplateExecError',
      line: 4,
      kind: 'invalid_request',
      code: 'template_exec',
    })
    expect(error).toHaveProperty('message', 'template line 4: index out of range: 9')
  })

  it('name the line of the call, not of its last argument', () => {
    const template = compileGoTemplate('{{fail\n"stop"}}\n')
    expect(catchError(() => template.render({}))).toMatchObject({ message: 'template line 1: stop' })
  })

  it.each([
    '{{range .secret}}{{end}}',
    '{{.secret.x}}',
    '{{eq .secret 1}}',
    '{{index .secret .secret}}',
    '{{upper .map}}{{.secret}}',
    '{{mustFromJson .secret}}',
    '{{mustToDate .secret "x"}}',
    '{{regexFind .secret "("}}{{mustRegexFind (print .secret "(") "x"}}',
    '{{urlParse (print .secret "%zz")}}',
    '{{semver .secret}}',
    '{{semverCompare .secret "1"}}',
    '{{template "t" .secret}}{{define "t"}}{{.x}}{{end}}',
    '{{mustDateModify .secret (toDate "2006" "2024")}}',
  ])('of %s do not quote the data', (source) => {
    const error = catchError(() =>
      compileGoTemplate(source).render({ secret: 'tell-nobody', map: { 'tell-nobody': 1 } }),
    )
    expect(error).toBeInstanceOf(GoTemplateExecError)
    expect(String(error)).not.toContain('tell-nobody')
  })
})

describe('functions that depend on the machine, time or chance', () => {
  it.each([
    ...['env "PATH"', 'expandenv "$PATH"', 'getHostByName "localhost"', 'now', 'ago 1', 'uuidv4', 'shuffle "abc"'],
    ...['randAlpha 5', 'randAlphaNum 5', 'randAscii 5', 'randNumeric 5', 'randBytes 5', 'randInt 1 9'],
    ...['bcrypt "x"', 'htpasswd "u" "p"', 'derivePassword 1 "long" "p" "u" "s"', 'genPrivateKey "rsa"'],
    ...['genCA "x" 1', 'genSelfSignedCert "x" nil nil 1', 'encryptAES "k" "x"', 'decryptAES "k" "x"'],
  ])('%s does not exist', (call) => {
    expect(() => compileGoTemplate(`{{${call}}}`)).toThrow(GoTemplateSyntaxError)
  })

  it('is an error where a date function would take the clock', () => {
    expect(() => compileGoTemplate('{{date "2006" "x"}}').render({})).toThrow('templates cannot read the clock')
    expect(() => compileGoTemplate('{{durationRound (toDate "2006" "2024")}}').render({})).toThrow('the clock')
  })
})
