import { describe, expect, it } from 'vitest'
import { findFailure, render } from './jinja-render.ts'

describe('how numbers print', () => {
  it.each([
    [
      "{{ 1 ~ ' ' ~ 1.0 ~ ' ' ~ 1.50 ~ ' ' ~ -0.0 ~ ' ' ~ 1e3 ~ ' ' ~ 1e15 ~ ' ' ~ 1e16 ~ ' ' ~ 1e22 }}",
      '1 1.0 1.5 -0.0 1000.0 1000000000000000.0 1e+16 1e+22',
    ],
    [
      "{{ 0.1 ~ ' ' ~ 0.0001 ~ ' ' ~ 0.00001 ~ ' ' ~ 123456789.123 ~ ' ' ~ 1e-7 ~ ' ' ~ 5e-324 ~ ' ' ~ 1.7976931348623157e308 }}",
      '0.1 0.0001 1e-05 123456789.123 1e-07 5e-324 1.7976931348623157e+308',
    ],
    ['{{ 0.1 + 0.2 }}', '0.30000000000000004'],
    ["{{ 1_000 ~ ' ' ~ 0x1F ~ ' ' ~ 0o17 ~ ' ' ~ 0b11 ~ ' ' ~ 1_0.5 }}", '1000 31 15 3 10.5'],
    ['{{ [1, 1.0, true, none] }}', '[1, 1.0, True, None]'],
    ["{{ 'inf'|float ~ ('-inf'|float) ~ ('nan'|float) }}", 'inf-infnan'],
  ])('renders %j', (template, output) => {
    expect(render(template)).toBe(output)
  })

  it.each([["{{ big ~ ' ' ~ -big ~ ' ' ~ big + 1 }}", 'TypeError']])('fails on %j with %s', (template, exception) => {
    expect(findFailure(template)).toBe(exception)
  })
})

describe('integers and floats', () => {
  it.each([
    [
      "{{ 4 / 2 ~ ' ' ~ (7 / 2) ~ ' ' ~ (7 // 2) ~ ' ' ~ (-7 // 2) ~ ' ' ~ (7.0 // 2) ~ ' ' ~ (-7.5 // 2) }}",
      '2.0 3.5 3 -4 3.0 -4.0',
    ],
    ["{{ 7 % 3 ~ ' ' ~ (-7 % 3) ~ ' ' ~ (7 % -3) ~ ' ' ~ (-7.5 % 2) ~ ' ' ~ (5.5 % -2) }}", '1 2 -2 0.5 -0.5'],
    [
      "{{ 2 ** 10 ~ ' ' ~ (2 ** -1) ~ ' ' ~ (2 ** 0.5) ~ ' ' ~ (2.0 ** 3) ~ ' ' ~ (-2 ** 2) ~ ' ' ~ (2 ** 3 ** 2) }}",
      '1024 0.5 1.4142135623730951 8.0 4 64',
    ],
    [
      "{{ 2 ** 64 / 2 ~ ' ' ~ (2 ** 64 - 2 ** 64) ~ ' ' ~ (10 ** 30 / 10 ** 29) ~ ' ' ~ -(2 ** 64) }}",
      '9.223372036854776e+18 0 10.0 -18446744073709551616',
    ],
    ["{{ +5 ~ ' ' ~ - 5 ~ ' ' ~ --5 ~ ' ' ~ +true }}", '5 -5 5 1'],
    ["{{ 0 * -1 ~ ' ' ~ (0.0 * -1) ~ ' ' ~ (-0 + 0) }}", '0 -0.0 0'],
    ['{{ 10 ** 400 > 1e308 }}', 'True'],
  ])('renders %j', (template, output) => {
    expect(render(template)).toBe(output)
  })

  it.each([
    ["{{ 1 + 1 ~ ' ' ~ (1 + 1.0) ~ ' ' ~ (2 * 3) ~ ' ' ~ (2 * 1.5) ~ ' ' ~ (3 - 1.0) }}", 'TypeError'],
    [
      "{{ 9007199254740991 + 2 ~ ' ' ~ (9007199254740993 * 2) ~ ' ' ~ (2 ** 64) ~ ' ' ~ (2 ** 64 // 3) ~ ' ' ~ (2 ** 64 % 1000) }}",
      'TypeError',
    ],
    ["{{ true + true ~ ' ' ~ (true * 5) ~ ' ' ~ -true ~ ' ' ~ (true / 2) }}", 'TypeError'],
  ])('fails on %j with %s', (template, exception) => {
    expect(findFailure(template)).toBe(exception)
  })
})

describe('comparing', () => {
  it.each([
    ["{{ 1 == 1.0 and true == 1 and 2 ** 53 == 2.0 ** 53 and not 1 == '1' }}", 'True'],
    ['{{ 2 ** 53 + 1 == 2.0 ** 53 }}', 'False'],
    ['{{ 1 < 1.5 < 2 and not 1 < 2 > 3 }}', 'True'],
    ['{{ big > 1e19 and big < 1e20 }}', 'True'],
    ["{{ 'nan'|float == 'nan'|float }}", 'False'],
    ['{{ [1] < [2] and [1, 2] > [1] and (1, 2) < (1, 3) }}', 'True'],
    ['{{ 1 in [1.0] and true in [1] }}', 'True'],
    ['{{ 1 in {1.0: 1} }}', 'True'],
    ["{{ {1: 'a', 1.0: 'b', true: 'c'} }}", "{1: 'c'}"],
    ["{{ 'a' < 'b' and 'Z' < 'a' and 'a' < 'aa' and '😀' > '\\uffff' }}", 'True'],
  ])('renders %j', (template, output) => {
    expect(render(template)).toBe(output)
  })

  it.each([
    ["{{ 1 < 'a' }}", 'TypeError'],
    ['{{ none < 1 }}', 'TypeError'],
    ['{{ [1] < (2,) }}', 'TypeError'],
    ['{{ {} < {} }}', 'TypeError'],
  ])('fails on %j with %s', (template, exception) => {
    expect(findFailure(template)).toBe(exception)
  })
})

describe('errors', () => {
  it.each([
    ['{{ 1 / 0 }}', 'ZeroDivisionError'],
    ['{{ 1 // 0 }}', 'ZeroDivisionError'],
    ['{{ 1 % 0 }}', 'ZeroDivisionError'],
    ['{{ 1.0 / 0 }}', 'ZeroDivisionError'],
    ['{{ 1.0 // 0 }}', 'ZeroDivisionError'],
    ['{{ 1.0 % 0 }}', 'ZeroDivisionError'],
    ['{{ 0 ** -1 }}', 'ZeroDivisionError'],
    ['{{ 10 ** 400 / 3 }}', 'OverflowError'],
    ['{{ 10 ** 400 * 1.0 }}', 'OverflowError'],
    ['{{ 1e308 ** 2 }}', 'OverflowError'],
    ["{{ 'a' - 1 }}", 'TypeError'],
    ["{{ 'a' * 'b' }}", 'TypeError'],
    ['{{ [] - [] }}', 'TypeError'],
    ['{{ {} + {} }}', 'TypeError'],
    ['{{ none + 1 }}', 'TypeError'],
    ["{{ -'a' }}", 'TypeError'],
    ["{{ 'a' + 1 }}", 'TypeError'],
    ['{{ [1] + (2,) }}', 'TypeError'],
  ])('fails on %j with %s', (template, exception) => {
    expect(findFailure(template)).toBe(exception)
  })
})

describe('repeated and joined', () => {
  it.each([
    ["{{ 'ab' * 3 ~ 3 * 'ab' ~ 'ab' * 0 ~ 'ab' * -1 ~ 'a' * true }}", 'ababababababa'],
    ['{{ [1, 2] * 2 + [3] }}', '[1, 2, 1, 2, 3]'],
    ['{{ (1,) * 2 + (2,) }}', '(1, 1, 2)'],
  ])('renders %j', (template, output) => {
    expect(render(template)).toBe(output)
  })

  it.each([["{{ 'a' * 1.5 }}", 'TypeError']])('fails on %j with %s', (template, exception) => {
    expect(findFailure(template)).toBe(exception)
  })
})

describe('percent formats', () => {
  it.each([
    ["{{ '%d %i %u %5d|%-5d|%05d %+d % d' % (1, 2, 3, 4, 5, 6, 7, 8) }}", '1 2 3     4|5    |00006 +7  8'],
    ["{{ '%x %X %#x %o %#o %#X' % (255, 255, 255, 8, 8, 255) }}", 'ff FF 0xff 10 0o10 0XFF'],
    [
      "{{ '%f %.2f %8.3f %-8.1f| %08.2f %+.1f' % (1, 2.345, 3.14159, 4, -5.5, 6) }}",
      '1.000000 2.35    3.142 4.0     | -0005.50 +6.0',
    ],
    [
      "{{ '%e %.2E %g %G %.3g %#.3g' % (12345.678, 0.00012, 1e10, 1e-10, 1234.5, 1.0) }}",
      '1.234568e+04 1.20E-04 1e+10 1E-10 1.23e+03 1.00',
    ],
    [
      "{{ '%s %r %a %c %c %5s| %-5s| %.2s' % ('ä', 'ä', 'ä', 'x', 65, 'ab', 'cd', 'xyz') }}",
      "ä 'ä' '\\xe4' x A    ab| cd   | xy",
    ],
    ["{{ '%(a)s %(b)05d %%' % {'a': 1, 'b': 2} }}", '1 00002 %'],
    ["{{ '%*d %-*d| %.*f' % (5, 1, 4, 2, 1, 3.14159) }}", '    1 2   | 3.1'],
    ["{{ '%d' % 3.99 ~ '%d' % true ~ '%d' % -3.99 }}", '31-3'],
    ["{{ '%s' % (1,) ~ '%s' % [1, 2] ~ '%s' % {'a': 1} }}", "1[1, 2]{'a': 1}"],
    ["{{ '%s' % none ~ '%s' % true ~ '%s' % 1.0 }}", 'NoneTrue1.0'],
    ["{{ '%.3d %x' % (5, -255) }}", '005 -ff'],
    ["{{ '%d' % big }}", '12345678901234567890'],
    [
      "{{ '%e' % 0 ~ '%g' % 100000 ~ '%g' % 1000000 ~ '%g' % 0.0001 ~ '%g' % 0.00001 }}",
      '0.000000e+001000001e+060.00011e-05',
    ],
    ["{{ '%f' % ('inf'|float) ~ '%F' % ('nan'|float) ~ '%5.1f' % ('-inf'|float) }}", 'infNAN -inf'],
  ])('renders %j', (template, output) => {
    expect(render(template)).toBe(output)
  })

  it.each([
    ["{{ '%d' % 'a' }}", 'TypeError'],
    ["{{ '%s %s' % 1 }}", 'TypeError'],
    ["{{ '%s' % (1, 2) }}", 'TypeError'],
    ["{{ '%y' % 1 }}", 'ValueError'],
    ["{{ '%' % 1 }}", 'ValueError'],
    ["{{ '%(a)s' % {} }}", 'KeyError'],
    ["{{ '%(a)s' % 1 }}", 'TypeError'],
    ["{{ '%x' % 1.5 }}", 'TypeError'],
    ["{{ '%c' % 'ab' }}", 'TypeError'],
  ])('fails on %j with %s', (template, exception) => {
    expect(findFailure(template)).toBe(exception)
  })
})

describe('brace formats', () => {
  it.each([
    [
      "{{ '{:d} {:5d}|{:<5d}|{:^5d}|{:05d} {:+d} {: d}'.format(1, 2, 3, 4, 5, 6, 7) }}",
      '1     2|3    |  4  |00005 +6  7',
    ],
    ["{{ '{:x} {:#x} {:X} {:o} {:b} {:#b} {:c}'.format(255, 255, 255, 8, 5, 5, 65) }}", 'ff 0xff FF 10 101 0b101 A'],
    [
      "{{ '{:,} {:_} {:,.2f} {:_x} {:010,}'.format(1234567, 1234567, 1234567.891, 1234567, 1234) }}",
      '1,234,567 1_234_567 1,234,567.89 12_d687 00,001,234',
    ],
    [
      "{{ '{:f} {:.2f} {:e} {:g} {:%} {:.1%} {:G}'.format(1, 2.345, 12345.678, 1e10, 0.5, 0.123, 1e-10) }}",
      '1.000000 2.35 1.234568e+04 1e+10 50.000000% 12.3% 1E-10',
    ],
    ["{{ '{} {} {:.3} {:10} {:<10}|'.format(1.0, 1e22, 3.14159, 1.5, 2.5) }}", '1.0 1e+22 3.14        1.5 2.5       |'],
    ["{{ '{:s} {:.2} {:>5} {:*<5}'.format('a', 'xyz', 'b', 'c') }}", 'a xy     b c****'],
    ["{{ '{:5}|{:<5}|{:=+6}'.format(1, 1, 5) }}", '    1|1    |+    5'],
    ["{{ '{:n} {:n}'.format(1234, 1.5) }}", '1234 1.5'],
    ["{{ '{:z.1f} {:z.1f} {:z.0e} {:zg} {:z}'.format(-0.01, -0.1, -0.0, -0.0, -0.0) }}", '0.0 -0.1 0e+00 0 0.0'],
  ])('renders %j', (template, output) => {
    expect(render(template)).toBe(output)
  })

  it.each([
    ["{{ '{:.2d}'.format(1) }}", 'ValueError'],
    ["{{ '{:s}'.format(1) }}", 'ValueError'],
    ["{{ '{:z}'.format('a') }}", 'ValueError'],
    ["{{ '{:z}'.format(1) }}", 'ValueError'],
    ["{{ '{:,x}'.format(1) }}", 'ValueError'],
    ["{{ '{:+}'.format('a') }}", 'ValueError'],
    ["{{ '{:c}'.format(-1) }}", 'OverflowError'],
    ["{{ '{}'.format([1]) ~ '{:5}'.format([1]) }}", 'TypeError'],
  ])('fails on %j with %s', (template, exception) => {
    expect(findFailure(template)).toBe(exception)
  })
})

describe('slices and items', () => {
  it.each([
    [
      "{{ 'hello'[1:3] ~ 'hello'[::-1] ~ 'hello'[-3:] ~ 'hello'[:-1] ~ 'hello'[10:] ~ 'hello'[::2] }}",
      'elollehllohellhlo',
    ],
    ['{{ list[::-1] ~ list[1:] ~ (1, 2, 3)[:2] ~ range(10)[2:8:3] }}', '[2, 1, 3][1, 2](1, 2)range(2, 8, 3)'],
    ['{{ emoji[1] ~ emoji[1:] ~ emoji[::-1] ~ emoji[-1] }}', '😀😀bb😀ab'],
    ['{{ list[0] ~ list[-1] ~ list[true] ~ list[1.0] }}', '321'],
    ["{{ list['0'] ~ list.0 ~ dict[10] ~ dict['10'] }}", '3[1]'],
    ["{{ 'abc'[big] ~ 'abc'[:big] ~ 'abc'[-big:] }}", 'abcabc'],
    ["{{ 'abc'['a'] }}", ''],
    ['{{ dict[[]] }}', ''],
  ])('renders %j', (template, output) => {
    expect(render(template)).toBe(output)
  })

  it.each([
    ["{{ 'abc'[::0] }}", 'ValueError'],
    ["{{ list['a':] }}", 'TypeError'],
    ['{{ dict[1:] }}', 'TypeError'],
  ])('fails on %j with %s', (template, exception) => {
    expect(findFailure(template)).toBe(exception)
  })
})
