import { createDeferred } from '@svc/test-kit'
import { expect, it, vi } from 'vitest'
import { createLazy } from './lazy.ts'

it('loads once for callers at the same time', async () => {
  const loaded = createDeferred<string>()
  const load = vi.fn(() => loaded.promise)
  const lazy = createLazy(load)
  expect(load).not.toHaveBeenCalled()
  expect(await lazy.settled()).toBeUndefined()
  const both = Promise.all([lazy.open(), lazy.open()])
  expect(lazy.opened()).toBeUndefined()
  loaded.resolve('part')
  expect(await both).toEqual(['part', 'part'])
  expect(await lazy.open()).toBe('part')
  expect(lazy.opened()).toBe('part')
  expect(load).toHaveBeenCalledTimes(1)
})

it('tries again after a failed load', async () => {
  const load = vi.fn(async () => 'part')
  load.mockRejectedValueOnce(new Error('no descriptors left'))
  const lazy = createLazy(load)
  const failing = lazy.open()
  expect(await lazy.settled()).toBeUndefined()
  await expect(failing).rejects.toThrow('no descriptors left')
  expect(lazy.opened()).toBeUndefined()
  expect(await lazy.open()).toBe('part')
  expect(await lazy.settled()).toBe('part')
})

it('tries again after a load that throws at once', async () => {
  const load = vi.fn((): Promise<string> => Promise.resolve('part'))
  load.mockImplementationOnce(() => {
    throw new Error('no such module')
  })
  const lazy = createLazy(load)
  await expect(lazy.open()).rejects.toThrow('no such module')
  expect(await lazy.open()).toBe('part')
})
