import { expect, it } from 'vitest'
import { listBuckets, shortenBucket } from './buckets.ts'

const NOW = Date.UTC(2026, 2, 1, 5, 30)

it('names the hours of a day, across midnight', () => {
  const buckets = listBuckets('day', [], NOW)
  expect(buckets).toHaveLength(24)
  expect(buckets[0]).toBe('2026-02-28 06:00')
  expect(buckets.at(-1)).toBe('2026-03-01 05:00')
})

it('names the days of a week and a month, across the end of a month', () => {
  expect(listBuckets('week', [], NOW)).toEqual([
    '2026-02-23',
    '2026-02-24',
    '2026-02-25',
    '2026-02-26',
    '2026-02-27',
    '2026-02-28',
    '2026-03-01',
  ])
  const month = listBuckets('month', [], NOW)
  expect(month).toHaveLength(30)
  expect(month[0]).toBe('2026-01-31')
})

it('names the months from the first one with usage', () => {
  expect(listBuckets('all', ['2026-01', '2025-11'], NOW)).toEqual([
    '2025-11',
    '2025-12',
    '2026-01',
    '2026-02',
    '2026-03',
  ])
  expect(listBuckets('all', [], NOW)).toEqual(['2026-03'])
})

it('keeps a bucket with usage that lies outside of the period', () => {
  // the window of the server is not that of the calendar
  const buckets = listBuckets('week', ['2026-02-22'], NOW)
  expect(buckets[0]).toBe('2026-02-22')
  expect(buckets).toHaveLength(8)
})

it('shortens names for the axis', () => {
  expect(shortenBucket('2026-02-28 06:00')).toBe('06:00')
  expect(shortenBucket('2026-02-28')).toBe('02-28')
  expect(shortenBucket('2026-02')).toBe('2026-02')
})
