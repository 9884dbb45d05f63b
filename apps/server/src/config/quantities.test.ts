import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { duration, formatDuration, parseDuration, size } from './quantities.ts'
import { TEXT_FORMS } from './text-kind.ts'

describe('a duration', () => {
  it.each([
    ['0', 0],
    ['0s', 0],
    ['10s', 10_000],
    ['500ms', 500],
    ['1h30m', 5_400_000],
    ['1.5h', 5_400_000],
    ['1m0.5s', 60_500],
    ['250us', 0.25],
    ['250µs', 0.25],
    ['720h', 2_592_000_000],
  ])('%s is %d ms', (written, milliseconds) => {
    expect(parseDuration(written)).toBeCloseTo(milliseconds, 9)
  })
  it.each([
    '',
    '10',
    '-1s',
    '1d',
    '1 s',
    's',
    '1h 30m',
    '1.s',
    '.5s',
    '10S',
    '1s x',
    `${'1'.repeat(16)}s`,
    '999999999999h',
    'e'.repeat(65),
  ])('refuses %j', (written) => {
    expect(parseDuration(written)).toBeUndefined()
  })
  it('is refused above its longest', () => {
    const wait = duration({ max: '24h' })
    expect(wait.safeParse('24h').data).toBe(86_400_000)
    expect(wait.safeParse('24h1ms').data).toBeUndefined()
    expect(TEXT_FORMS.get(wait)?.form).toContain('24h at most')
  })
  it('is written in hours at most, as people write it', () => {
    expect(formatDuration(0)).toBe('0s')
    expect(formatDuration(900_000)).toBe('15m')
    expect(formatDuration(5_400_000)).toBe('1h30m')
    expect(formatDuration(2_592_000_000)).toBe('720h')
    expect(formatDuration(1500)).toBe('1s500ms')
  })
  it('is read back as it was written', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 3e14 }),
        (milliseconds) => parseDuration(formatDuration(milliseconds)) === milliseconds,
      ),
    )
  })
})

describe('a size', () => {
  const bytes = size({ bare: 'bytes' })
  const megabytes = size({ bare: 'MB' })
  it.each([
    ['1024', 1024],
    ['0', 0],
    ['1k', 1024],
    ['1KB', 1024],
    ['1KiB', 1024],
    ['1.5 MB', 1_572_864],
    ['2g', 2_147_483_648],
    ['7b', 7],
  ])('%s is %d bytes', (written, value) => {
    expect(bytes.safeParse(written).data).toBe(value)
  })
  it('counts a bare number in its unit', () => {
    expect(megabytes.safeParse('15').data).toBe(15_728_640)
    expect(megabytes.safeParse('15MB').data).toBe(15_728_640)
    expect(megabytes.safeParse('15B').data).toBe(15)
    expect(megabytes.safeParse('512KB').data).toBe(524_288)
  })
  it.each(['', '-1', '1 x', '1e3', 'MB', '1.2345', '999999999999T'])('refuses %j', (written) => {
    expect(bytes.safeParse(written).data).toBeUndefined()
  })
})
