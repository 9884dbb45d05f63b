import { createFakeClock, eventually } from '@svc/test-kit'
import { expect, it } from 'vitest'
import { silentLogger as logger } from '../../db/__fixtures__/places.ts'
import { storageRefused } from './storage-errors.ts'
import { createStorageWatch } from './storage-watch.ts'

it('looks at a storage every ten seconds at most, and tells why it is missing', async () => {
  const clock = createFakeClock()
  let isThere = false
  let looks = 0
  const storage = {
    async check() {
      looks += 1
      if (!isThere) throw storageRefused('the bucket does not exist')
    },
  }
  const watch = createStorageWatch(storage, { clock, logger })
  await eventually(() => expect(watch.reason()).toContain('the bucket does not exist'))
  isThere = true
  expect(watch.reason()).toContain('the bucket does not exist')
  expect(looks).toBe(1)
  await clock.advance(10_000)
  watch.reason()
  await eventually(() => expect(watch.reason()).toBeUndefined())
  expect(looks).toBe(2)
  await watch.close()
  await clock.advance(20_000)
  watch.reason()
  expect(looks).toBe(2)
})
