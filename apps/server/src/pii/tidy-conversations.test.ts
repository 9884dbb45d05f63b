import { createFakeClock } from '@svc/test-kit'
import { expect, it, vi } from 'vitest'
import { tidyConversations } from './tidy-conversations.ts'

const HOUR = 3_600_000

it('removes what has ended every hour, tells of the first failure in a row, and ends', async () => {
  const clock = createFakeClock()
  const tidy = vi.fn(async () => undefined)
  const warn = vi.fn()
  const tidying = tidyConversations({ tidy }, { clock, logger: { warn } })
  await clock.advance(HOUR - 1)
  expect(tidy).toHaveBeenCalledTimes(0)
  await clock.advance(1)
  expect(tidy).toHaveBeenCalledTimes(1)
  tidy.mockRejectedValueOnce(new Error('away')).mockRejectedValueOnce(new Error('away'))
  await clock.advance(HOUR)
  await clock.advance(HOUR)
  await clock.advance(HOUR)
  expect([tidy.mock.calls.length, warn.mock.calls.length]).toEqual([4, 1])
  await tidying.close()
  await clock.advance(2 * HOUR)
  expect(tidy).toHaveBeenCalledTimes(4)
})
