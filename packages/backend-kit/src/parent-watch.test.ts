import { expect, it } from 'vitest'
import { readParentWatch } from './parent-watch.ts'

it('is on every two seconds unless told otherwise', () => {
  expect(readParentWatch({})).toEqual({ enabled: true, intervalMs: 2000 })
})

it.each(['false', '0', 'no', 'off', 'OFF', ' False '])('is off for %j', (value) => {
  expect(readParentWatch({ LOCALAI_BACKEND_PARENT_WATCH: value }).enabled).toBe(false)
})

it.each(['', 'true', '1', 'yes', 'anything'])('is on for %j', (value) => {
  expect(readParentWatch({ LOCALAI_BACKEND_PARENT_WATCH: value }).enabled).toBe(true)
})

it.each([
  ['500ms', 500],
  ['2s', 2000],
  ['1.5s', 1500],
  ['1m30s', 90_000],
  ['1h', 3_600_000],
  [' 3s ', 3000],
  ['', 2000],
  ['0s', 2000],
  ['-1s', 2000],
  ['2', 2000],
  ['2 s', 2000],
  ['soon', 2000],
])('reads an interval of %j as %i ms', (text, intervalMs) => {
  expect(readParentWatch({ LOCALAI_BACKEND_PARENT_WATCH_INTERVAL: text }).intervalMs).toBe(intervalMs)
})
