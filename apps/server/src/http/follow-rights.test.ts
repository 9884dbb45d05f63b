import type { Revocation } from '@svc/auth'
import { createDeferred, createFakeClock } from '@svc/test-kit'
import { expect, it } from 'vitest'
import { createBus } from '../bus/create-bus.ts'
import { silentLogger } from '../db/__fixtures__/places.ts'
import { followRights } from './follow-rights.ts'

function createWorld(outcomes: (boolean | Promise<boolean>)[]) {
  const clock = createFakeClock()
  const bus = createBus({ logger: silentLogger })
  const revoke = (revocation: Revocation): void => bus.publish('rights.revoked', revocation)
  const asked: Revocation['kind'][] = []
  let looksForExpired = 0
  const follower = followRights({
    bus,
    clock,
    async reauthorize({ kind }) {
      asked.push(kind)
      return outcomes.shift() ?? true
    },
    async endExpired() {
      looksForExpired += 1
    },
  })
  return { clock, revoke, asked, follower, countLooks: () => looksForExpired }
}

it('reauthorizes with each revocation, and tries again while the stores are away', async () => {
  const { clock, revoke, asked, follower } = createWorld([false, false, true])
  revoke({ kind: 'user', userId: 'ada' })
  await clock.waitForSleepers(2)
  expect(asked).toEqual(['user'])
  await clock.advance(500)
  await expect.poll(() => asked).toEqual(['user', 'all'])
  await clock.waitForSleepers(2)
  await clock.advance(500)
  await expect.poll(() => asked).toEqual(['user', 'all', 'all'])
  await clock.advance(5000)
  expect(asked).toHaveLength(3)
  revoke({ kind: 'api-key', apiKeyId: 'k' })
  expect(asked.at(-1)).toBe('api-key')
  await follower.close()
  revoke({ kind: 'all' })
  expect(asked).toHaveLength(4)
})

it('ends while it waits to try again', async () => {
  const { clock, revoke, asked, follower } = createWorld([false])
  revoke({ kind: 'all' })
  await clock.waitForSleepers(2)
  await follower.close()
  expect(asked).toEqual(['all'])
})

it('looks for expired credentials four times a second, until it ends', async () => {
  const { clock, follower, countLooks } = createWorld([])
  for (let second = 0; second < 3; second += 1) {
    for (let look = 0; look < 4; look += 1) {
      await clock.waitForSleepers(1)
      await clock.advance(250)
    }
  }
  await expect.poll(countLooks).toBe(12)
  await follower.close()
  await clock.advance(1000)
  expect(countLooks()).toBe(12)
})

it('makes one further look of all changes that come while it looks at everybody', async () => {
  const first = createDeferred<boolean>()
  const { clock, revoke, asked, follower } = createWorld([first.promise])
  for (let count = 0; count < 5; count += 1) revoke({ kind: 'all' })
  revoke({ kind: 'session', sessionId: 's' })
  expect(asked).toEqual(['all', 'session'])
  first.resolve(true)
  await clock.waitForSleepers(2)
  await clock.advance(99)
  expect(asked).toEqual(['all', 'session'])
  await clock.advance(1)
  await expect.poll(() => asked).toEqual(['all', 'session', 'all'])
  await follower.close()
})

it('looks at everybody ten times a second at most, however often rights change', async () => {
  const { clock, revoke, asked, follower } = createWorld([])
  for (let tick = 0; tick < 100; tick += 1) {
    for (let count = 0; count < 10; count += 1) revoke({ kind: 'all' })
    await clock.advance(10)
  }
  expect(asked.length).toBeGreaterThan(5)
  expect(asked.length).toBeLessThanOrEqual(11)
  await follower.close()
})
