import { expect, it, vi } from 'vitest'
import { readParentWatch, watchParent } from './parent-watch.ts'

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
  ['1000h', 2 ** 31 - 1],
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

it.each([
  ['a starter that was killed but still stands in the process table', process.pid, 1],
  ['no starter: the entry point of a container', undefined, 0],
  ['process 1 as the starter', 1, 0],
])('under process 1, with %s', (_name, starterPid, times) => {
  const parent = vi.spyOn(process, 'ppid', 'get').mockReturnValue(1)
  try {
    const onGone = vi.fn()
    watchParent({ intervalMs: 1000, starterPid }, onGone)()
    expect(onGone).toHaveBeenCalledTimes(times)
  } finally {
    parent.mockRestore()
  }
})

it('does not take a starter of another user for dead', () => {
  const kill = vi.spyOn(process, 'kill').mockImplementation(() => {
    throw Object.assign(new Error('kill EPERM'), { code: 'EPERM' })
  })
  try {
    const onGone = vi.fn()
    watchParent({ intervalMs: 1000, starterPid: process.ppid }, onGone)()
    expect(onGone).not.toHaveBeenCalled()
  } finally {
    kill.mockRestore()
  }
})
