import { describe, expect, it } from 'vitest'
import { findFailure, render } from './jinja-render.ts'

describe('abs, int, float', () => {
  it.each([
    ['{{ -5|abs }}', '5'],
    ['{{ -5.5|abs }}', '5.5'],
    ['{{ true|abs }}', '1'],
    ["{{ '42'|int }}", '42'],
    ["{{ ' 42 '|int }}", '42'],
    ["{{ '4_2'|int }}", '42'],
    ["{{ '-42'|int }}", '-42'],
    ["{{ '42.9'|int }}", '42'],
    ["{{ '1e3'|int }}", '1000'],
    ["{{ 'abc'|int }}", '0'],
    ["{{ 'abc'|int(7) }}", '7'],
    ["{{ ''|int }}", '0'],
    ["{{ '0x1f'|int(0, 16) }}", '31'],
    ["{{ '0b11'|int(base=2) }}", '3'],
    ["{{ '0o17'|int(base=8) }}", '15'],
    ["{{ 'z'|int(base=36) }}", '35'],
    ["{{ '1f'|int(default=-1) }}", '-1'],
    ["{{ '0x1f'|int(0, 0) }}", '31'],
    ["{{ '٣'|int }}", '3'],
    ['{{ 42.9|int }}', '42'],
    ['{{ -42.9|int }}', '-42'],
    ['{{ true|int }}', '1'],
    ['{{ none|int }}', '0'],
    ['{{ []|int }}', '0'],
    ['{{ 1e30|int }}', '1000000000000000019884624838656'],
    ["{{ '1.5'|float }}", '1.5'],
    ["{{ 'abc'|float }}", '0.0'],
    ["{{ 'abc'|float(1.5) }}", '1.5'],
    ["{{ 'inf'|float }}", 'inf'],
    ["{{ '-inf'|float }}", '-inf'],
    ["{{ 'nan'|float }}", 'nan'],
    ["{{ '1_0.5'|float }}", '10.5'],
    ['{{ 5|float }}', '5.0'],
    ['{{ none|float }}', '0.0'],
    ['{{ big|float }}', '1.2345678901234567e+19'],
  ])('renders %j', (template, output) => {
    expect(render(template)).toBe(output)
  })

  it.each([["{{ 'a'|abs }}", 'TypeError']])('fails on %j with %s', (template, exception) => {
    expect(findFailure(template)).toBe(exception)
  })
})

describe('round', () => {
  it.each([
    ['{{ 2.5|round }}', '2.0'],
    ['{{ 3.5|round }}', '4.0'],
    ['{{ 2.567|round(2) }}', '2.57'],
    ['{{ -2.5|round }}', '-2.0'],
    ["{{ 2.5|round(0, 'ceil') }}", '3.0'],
    ["{{ 2.4|round(0, 'ceil') }}", '3.0'],
    ["{{ 2.6|round(0, 'floor') }}", '2.0'],
    ['{{ 1.005|round(2) }}', '1.0'],
    ['{{ 1234|round(-2) }}', '1200'],
    ['{{ 1250|round(-2) }}', '1200'],
    ['{{ 1350|round(-2) }}', '1400'],
    ['{{ 5|round }}', '5'],
    ["{{ 5|round(method='floor') }}", '5.0'],
    ['{{ 1e300|round(2) }}', '1e+300'],
    ['{{ 1e-10|round(20) }}', '1e-10'],
  ])('renders %j', (template, output) => {
    expect(render(template)).toBe(output)
  })

  it.each([
    ["{{ 2.5|round(method='nope') }}", 'FilterArgumentError'],
    ["{{ 'a'|round }}", 'TypeError'],
  ])('fails on %j with %s', (template, exception) => {
    expect(findFailure(template)).toBe(exception)
  })
})

describe('filesizeformat', () => {
  it.each([
    ['{{ 0|filesizeformat }}', '0 Bytes'],
    ['{{ 1|filesizeformat }}', '1 Byte'],
    ['{{ 999|filesizeformat }}', '999 Bytes'],
    ['{{ 1000|filesizeformat }}', '1.0 kB'],
    ['{{ 1500000|filesizeformat }}', '1.5 MB'],
    ['{{ 1024|filesizeformat(true) }}', '1.0 KiB'],
    ['{{ 1e30|filesizeformat }}', '1000000.0 YB'],
    ["{{ '1234'|filesizeformat }}", '1.2 kB'],
  ])('renders %j', (template, output) => {
    expect(render(template)).toBe(output)
  })

  it.each([
    ["{{ 'a'|filesizeformat }}", 'ValueError'],
    ['{{ none|filesizeformat }}', 'TypeError'],
  ])('fails on %j with %s', (template, exception) => {
    expect(findFailure(template)).toBe(exception)
  })
})
