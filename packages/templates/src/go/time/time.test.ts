import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { civilFromSeconds, daysFromCivil, daysIn } from './calendar.ts'
import { formatDuration, parseDuration } from './duration.ts'
import { parseTime } from './parse.ts'
import { GoTime } from './time.ts'
import { fixedZone, loadZone } from './zone.ts'

const seconds = fc.integer({ min: -62_135_596_800, max: 253_402_300_799 })

describe('the calendar', () => {
  it('agrees with Date', () => {
    fc.assert(
      fc.property(seconds, (at) => {
        const date = new Date(at * 1000)
        expect(civilFromSeconds(at)).toMatchObject({
          year: date.getUTCFullYear(),
          month: date.getUTCMonth() + 1,
          day: date.getUTCDate(),
          hour: date.getUTCHours(),
          minute: date.getUTCMinutes(),
          second: date.getUTCSeconds(),
          weekday: date.getUTCDay(),
        })
      }),
    )
  })

  it('counts days both ways', () => {
    fc.assert(
      fc.property(seconds, (at) => {
        const { year, month, day } = civilFromSeconds(at)
        expect(daysFromCivil(year, month, day)).toBe(Math.floor(at / 86_400))
      }),
    )
  })

  it('knows leap years', () => {
    expect([2023, 2024, 1900, 2000].map((year) => daysIn(year, 2))).toEqual([28, 29, 28, 29])
    expect(civilFromSeconds(Date.UTC(2024, 11, 31) / 1000).yearDay).toBe(366)
  })
})

describe('times', () => {
  it('read back a fully formatted time', () => {
    const layout = '2006-01-02T15:04:05.000000000-07:00:00'
    fc.assert(
      fc.property(
        seconds.map((at) => Math.max(at, -61_000_000_000)),
        fc.integer({ min: 0, max: 999_999_999 }),
        fc.integer({ min: -80_000, max: 80_000 }),
        (at, nanos, offset) => {
          const time = new GoTime(at, nanos, fixedZone(offset < 0 && offset > -60 ? 0 : offset, ''))
          fc.pre(time.civil().year <= 9999)
          const read = parseTime(layout, time.format(layout))
          expect([read?.seconds, read?.nanos]).toEqual([at, nanos])
        },
      ),
    )
  })

  it('move by nanoseconds in both directions', () => {
    const time = new GoTime(10, 500_000_000)
    expect([time.plus(600_000_000n), time.plus(-600_000_000n)].map(({ seconds: at, nanos }) => [at, nanos])).toEqual([
      [11, 100_000_000],
      [9, 900_000_000],
    ])
  })

  it('show summer and winter time of a zone', () => {
    const paris = loadZone('Europe/Paris')
    expect(new GoTime(1_704_067_200, 0, paris).format('15:04 -0700')).toBe('01:00 +0100')
    expect(new GoTime(1_719_792_000, 0, paris).format('15:04 -0700')).toBe('02:00 +0200')
  })

  it.each(['', 'UTC', 'Local', 'No/Where', '../etc/passwd', 'x'.repeat(100)])('take %j for UTC', (name) => {
    expect(loadZone(name).at(0)).toEqual({ offset: 0, abbreviation: 'UTC' })
  })
})

describe('durations', () => {
  it('read back a formatted time', () => {
    fc.assert(
      fc.property(
        fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
        (size) => parseDuration(formatDuration(size)) === size,
      ),
    )
  })

  it.each([
    ['1h15m30.5s', 4_530_500_000_000n],
    ['-1.5ms', -1_500_000n],
    ['\xc2\xb5s', undefined],
    ['1\xc2\xb5s', 1_000n],
    ['.5h', 1_800_000_000_000n],
    ['0', 0n],
    ['1', undefined],
    ['1d', undefined],
    ['', undefined],
    ['h', undefined],
    ['9223372036854775808ns', undefined],
    ['-9223372036854775808ns', -(2n ** 63n)],
  ])('%s', (text, expected) => {
    expect(parseDuration(text)).toBe(expected)
  })
})
