import { describe, expect, it } from 'vitest'
import { GoTemplateExecError, GoTemplateSyntaxError } from '../src/go/index.ts'
import { render } from './go-render.ts'

// Expected texts are what Go 1.26 with sprig 3.3 wrote.
describe('number functions', () => {
  it.each([
    ['{{add 1 2 3}} {{add}} {{add 1.9 1}} {{add "3" 1}} {{add "x" 1}} {{add nil true}}', '6 0 2 4 1 1'],
    [
      '{{add 9223372036854775807 1}} {{mul 4611686018427387904 4}} {{sub -9223372036854775808 1}}',
      '-9223372036854775808 0 9223372036854775807',
    ],
    ['{{sub 5 2}} {{add1 4}} {{mul 2 3 4}} {{mul 2}}', '3 5 24 2'],
    [
      '{{div 7 2}} {{div -7 2}} {{mod 7 3}} {{mod -7 3}} {{div 7.9 2.1}} {{div -9223372036854775808 -1}}',
      '3 -3 1 -1 3 -9223372036854775808',
    ],
    ['{{max 1 5 3}} {{min 4 2 8}} {{max 1.9 1}} {{biggest -1 -2}} {{max 1}}', '5 2 1 -1 1'],
    [
      '{{int "12"}} {{int 3.9}} {{int -3.9}} {{int "x"}} {{int true}} {{int "010"}} {{int "0x1F"}} {{int "1_000"}} {{int "1.00"}} {{int "1.5"}} {{int .list}} {{int 1e19}}',
      '12 3 -3 0 1 8 31 1000 1 0 0 -9223372036854775808',
    ],
    [
      '{{int64 "9000000000"}} {{int64 "9223372036854775808"}} {{typeOf (int 1)}} {{typeOf (int64 1)}}',
      '9000000000 0 int int64',
    ],
    [
      '{{atoi "42"}} {{atoi "x"}} {{atoi "+5"}} {{atoi "1_0"}} {{atoi "99999999999999999999"}} {{atoi "-99999999999999999999"}}',
      '42 0 5 0 9223372036854775807 -9223372036854775808',
    ],
    ['{{toDecimal "0777"}} {{toDecimal 17}} {{toDecimal "9"}} {{toDecimal "-10"}}', '511 15 0 -8'],
  ])('whole numbers: %s', (template, output) => {
    expect(render(template)).toBe(output)
  })

  it.each(['{{div 1 0}}', '{{mod 1 0}}'])('whole numbers, failing when run: %s', (template) => {
    expect(() => render(template)).toThrow(GoTemplateExecError)
  })

  it.each([
    [
      '{{addf 1.5 2}} {{addf 0.1 0.2}} {{addf}} {{subf 5 0.5 1}} {{mulf 1.5 2}} {{mulf 0.1 0.1}} {{divf 7 2}} {{divf 1 3}} {{divf -2 3}} {{add1f 1.5}}',
      '3.5 0.3 0 3.5 3 0.01 3.5 0.3333333333333333 -0.6666666666666667 2.5',
    ],
    ['{{addf "x" 1.5}} {{addf 1e300 1e-300}}', '1.5 1e+300'],
    ['{{maxf 1.5 3 2}} {{minf 1.5 3 0.5}} {{maxf "nan" 1}}', '3 0.5 NaN'],
    ['{{floor 1.9}} {{floor -1.1}} {{ceil 1.1}} {{ceil "1.2"}} {{floor 5}}', '1 -2 2 2 5'],
    [
      '{{round 1.2345 2}} {{round 2.5 0}} {{round -2.5 0}} {{round 1.005 2}} {{round 123.5 -1}} {{round 1.234 2 0.3}} {{round "7.77" 1}}',
      '1.23 3 -3 1 120 1.24 7.8',
    ],
    [
      '{{float64 "1.50"}} {{float64 3}} {{float64 "x"}} {{float64 "1e3"}} {{float64 "0x1p4"}} {{float64 "1_0.5"}} {{float64 true}} {{float64 nil}} {{float64 "-Inf"}} {{float64 "1e400"}}',
      '1.5 3 0 1000 16 10.5 1 0 -Inf 0',
    ],
  ])('floats: %s', (template, output) => {
    expect(render(template)).toBe(output)
  })

  it.each(['{{divf 1 0}}', '{{addf (float64 "inf") 1}}'])('floats, failing when run: %s', (template) => {
    expect(() => render(template)).toThrow(GoTemplateExecError)
  })

  it.each([
    [
      '{{1}} {{1.0}} {{1e6}} {{999999.5}} {{1000000.5}} {{1e20}} {{1e21}} {{1e-4}} {{1e-5}} {{0.1}} {{-0.0}} {{2i}} {{1+2i}} {{1e3}}',
      '1 1 1e+06 999999.5 1.0000005e+06 1e+20 1e+21 0.0001 1e-05 0.1 -0 (0+2i) (1+2i) 1000',
    ],
    [
      '{{0x1F}} {{0o17}} {{017}} {{0b101}} {{1_000}} {{-0x1E}} {{0x1p4}} {{.5}} {{1.}} {{+5}} {{-0}}',
      '31 15 15 5 1000 -30 16 0.5 1 5 0',
    ],
    ['{{9223372036854775807}} {{-9223372036854775808}}', '9223372036854775807 -9223372036854775808'],
    ["{{'a'}} {{'\\n'}} {{'\\x41'}} {{'\\u00e9'}} {{'\\''}}", '97 10 65 233 39'],
  ])('printing: %s', (template, output) => {
    expect(render(template)).toBe(output)
  })

  it.each(['{{9223372036854775808}}'])('printing, failing when run: %s', (template) => {
    expect(() => render(template)).toThrow(GoTemplateExecError)
  })

  it.each([
    '{{18446744073709551616}}',
    '{{1e400}}',
    '{{1_}}',
    '{{0x}}',
    '{{089}}',
    '{{1.2.3}}',
    '{{1i2}}',
    "{{''}}",
    "{{'ab'}}",
    "{{'\\\"'}}",
  ])('printing, failing to compile: %s', (template) => {
    expect(() => render(template)).toThrow(GoTemplateSyntaxError)
  })
})
