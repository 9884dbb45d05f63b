import { describe, expect, it } from 'vitest'
import { findFailure, render } from './jinja-render.ts'

describe('directives', () => {
  it.each([
    ["{{ strftime_now('%Y-%m-%d %H:%M:%S') }}", '2024-07-26 14:05:09'],
    ["{{ strftime_now('%d %B %Y') }}", '26 July 2024'],
    ["{{ strftime_now('%A %a %b %h %j %U %W %V %G %u %w') }}", 'Friday Fri Jul Jul 208 29 30 30 2024 5 5'],
    ["{{ strftime_now('%I:%M %p %l %k %e') }}", '02:05 PM  2 14 26'],
    ["{{ strftime_now('%-d %-m %-H %-I %-j %_d %_m %0e %^a %^B %#b') }}", '26 7 14 2 208 26  7 26 FRI JULY JUL'],
    [
      "{{ strftime_now('%c | %x | %X | %D | %F | %R | %T | %r') }}",
      'Fri Jul 26 14:05:09 2024 | 07/26/24 | 14:05:09 | 07/26/24 | 2024-07-26 | 14:05 | 14:05:09 | 02:05:09 PM',
    ],
    ["{{ strftime_now('%y %C %g %s %f')[:11] }}", '24 20 24 17'],
    ["{{ strftime_now('[%Z%z]%n%t%%') }}", '[]\n\t%'],
    ["{{ strftime_now('plain') }}", 'plain'],
    ["{{ strftime_now('') }}", ''],
    ["{{ strftime_now('ü%Y😀') }}", 'ü2024😀'],
  ])('renders %j', (template, output) => {
    expect(render(template)).toBe(output)
  })

  it.each([
    ['{{ strftime_now() }}', 'TypeError'],
    ['{{ strftime_now(1) }}', 'TypeError'],
  ])('fails on %j with %s', (template, exception) => {
    expect(findFailure(template)).toBe(exception)
  })
})
