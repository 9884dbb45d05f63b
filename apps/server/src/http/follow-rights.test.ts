import { createRevocations, type Revocation } from '@svc/auth'
import { createFakeClock } from '@svc/test-kit'
import { expect, it } from 'vitest'
import { followRights } from './follow-rights.ts'

function createWorld(outcomes: boolean[]) {
  const clock = createFakeClock()
  const revocations = createRevocations()
  const asked: Revocation['kind'][] = []
  const follower = followRights({
    revocations,
    clock,
    async reauthorize({ kind }) {
      asked.push(kind)
      return outcomes.shift() ?? true
    },
  })
  return { clock, revocations, asked, follower }
}

it('reauthorizes with each revocation, and tries again while the stores are away', async () => {
  const { clock, revocations, asked, follower } = createWorld([false, false, true])
  revocations.publish({ kind: 'user', userId: 'ada' })
  await clock.waitForSleepers(1)
  expect(asked).toEqual(['user'])
  await clock.advance(500)
  await expect.poll(() => asked).toEqual(['user', 'all'])
  await clock.waitForSleepers(1)
  await clock.advance(500)
  await expect.poll(() => asked).toEqual(['user', 'all', 'all'])
  await clock.advance(5000)
  expect(asked).toHaveLength(3)
  revocations.publish({ kind: 'api-key', apiKeyId: 'k' })
  expect(asked.at(-1)).toBe('api-key')
  await follower.close()
  revocations.publish({ kind: 'all' })
  expect(asked).toHaveLength(4)
})

it('ends while it waits to try again', async () => {
  const { clock, revocations, asked, follower } = createWorld([false])
  revocations.publish({ kind: 'all' })
  await clock.waitForSleepers(1)
  await follower.close()
  expect(asked).toEqual(['all'])
})
