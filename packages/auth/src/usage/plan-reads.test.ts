import { describe, expect, it } from 'vitest'
import { planReads } from './plan-reads.ts'

const at = (text: string): number => Date.parse(text)
const show = (...parameters: Parameters<typeof planReads>): readonly string[] =>
  planReads(...parameters).map(({ span, from, to, bucketStart }) => {
    const [start, end, bucket] = [from, to, bucketStart].map((time) =>
      time === undefined ? '' : new Date(time).toISOString().slice(0, 16),
    )
    return `${span} ${start} ${end} ${bucket}`.trim()
  })

describe('a report', () => {
  it('over everything reads its own sums', () => {
    expect(show({ bucket: 'month' }, 0)).toEqual(['month 1970-01-01T00:00'])
  })

  it('over days reads days, then the hours of the first day, then the records of the first hour', () => {
    expect(show({ bucket: 'day', since: at('2026-08-22T13:37:11Z') }, 0)).toEqual([
      'day 2026-08-23T00:00',
      'hour 2026-08-22T14:00 2026-08-23T00:00 2026-08-22T00:00',
      'record 2026-08-22T13:37 2026-08-22T14:00 2026-08-22T00:00',
    ])
  })

  it('over hours reads hours, then the records of the first one', () => {
    expect(show({ bucket: 'hour', since: at('2026-08-22T23:37:11Z') }, 0)).toEqual([
      'hour 2026-08-23T00:00',
      'record 2026-08-22T23:37 2026-08-23T00:00 2026-08-22T23:00',
    ])
  })

  it('over months ends the first month by its days', () => {
    expect(show({ bucket: 'month', since: at('2026-12-30T23:10:00Z') }, 0)).toEqual([
      'month 2027-01-01T00:00',
      'day 2026-12-31T00:00 2027-01-01T00:00 2026-12-01T00:00',
      'record 2026-12-30T23:10 2026-12-31T00:00 2026-12-01T00:00',
    ])
  })

  it('reads the whole first hour when its records may be gone', () => {
    const since = at('2026-08-22T13:37:11Z')
    expect(show({ bucket: 'hour', since }, since + 1)).toEqual(['hour 2026-08-22T13:00'])
    expect(show({ bucket: 'day', since }, since + 1)).toEqual([
      'day 2026-08-23T00:00',
      'hour 2026-08-22T13:00 2026-08-23T00:00 2026-08-22T00:00',
    ])
  })

  it('that begins with a bucket reads nothing finer', () => {
    expect(show({ bucket: 'day', since: at('2026-08-22T00:00:00Z') }, 0)).toEqual(['day 2026-08-22T00:00'])
  })
})
