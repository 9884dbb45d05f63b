import { SvcError } from '@svc/errors'
import { createFakeClock } from '@svc/test-kit'
import { expect, it } from 'vitest'
import { silentLogger } from '../backends/__fixtures__/silent-logger.ts'
import { enrol } from './enrol.ts'
import type { Registered } from './front-end.ts'

const PENDING: Registered = { id: 'n', name: 'w', node_type: 'backend', status: 'pending', created_at: '' }
const MINTED: Registered = { ...PENDING, status: 'healthy', nats_jwt: 'jwt', nats_user_seed: 'seed' }

/** Enrols at a front end with these answers; the last one repeats. */
function start(answers: readonly (Registered | Error)[], needsCredentials = true) {
  const clock = createFakeClock()
  const stopping = new AbortController()
  const times: number[] = []
  const done = enrol({
    frontEnd: {
      async register() {
        const next = answers[Math.min(times.length, answers.length - 1)]
        times.push(clock.monotonic())
        if (next === undefined || next instanceof Error) throw next
        return next
      },
    },
    toBody: async () => ({}),
    needsCredentials,
    clock,
    logger: silentLogger,
    signal: stopping.signal,
  })
  done.catch(() => undefined)
  return { clock, stopping, times, done }
}

it('waits longer and longer for a front end, and for the approval', async () => {
  const { clock, times, done } = start([new Error('refused'), new Error('refused'), PENDING, PENDING, MINTED])
  await clock.waitForSleepers(1)
  await clock.advance(30_000)
  expect(await done).toEqual(MINTED)
  expect(times).toEqual([0, 2000, 6000, 14_000, 30_000])
})

it('goes on at once without credentials where it needs none', async () => {
  expect(await start([PENDING], false).done).toEqual(PENDING)
})

it('gives up when it is refused, gets no credentials, or an hour is over', async () => {
  const refused = new SvcError('upstream_failed', 'bad token', { code: 'registration_refused' })
  await expect(start([refused]).done).rejects.toMatchObject({ exitCode: 78, message: 'bad token' })
  await expect(start([{ ...PENDING, status: 'healthy' }]).done).rejects.toMatchObject({
    exitCode: 78,
    message: expect.stringContaining('SVC_NATS_JWT'),
  })
  const late = start([PENDING])
  await late.clock.waitForSleepers(1)
  await late.clock.advance(3_700_000)
  await expect(late.done).rejects.toMatchObject({ exitCode: 75, message: expect.stringContaining('approval') })
  expect(late.times.length).toBeLessThan(130)
})

it('ends with the signal', async () => {
  const { clock, stopping, done } = start([PENDING])
  await clock.waitForSleepers(1)
  stopping.abort(new Error('stopped'))
  await expect(done).rejects.toThrow('stopped')
})
