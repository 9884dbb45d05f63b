import { createFakeClock } from '@svc/test-kit'
import { expect, it } from 'vitest'
import { createThrottle } from './throttle.ts'

it('a client that sends a thousand events in a second is read no further until the next one', async () => {
  const clock = createFakeClock()
  const { signal } = new AbortController()
  const throttle = createThrottle(clock)
  for (let count = 1; count < 1000; count += 1) expect(throttle.pass(signal)).toBeUndefined()
  const waiting = throttle.pass(signal)
  expect(waiting).toBeInstanceOf(Promise)
  await clock.advance(1000)
  await waiting
  expect(throttle.pass(signal)).toBeUndefined()
})
