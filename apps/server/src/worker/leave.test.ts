import { createFakeClock } from '@svc/test-kit'
import { expect, it } from 'vitest'
import { silentLogger } from '../backends/__fixtures__/silent-logger.ts'
import { leaveCluster } from './leave.ts'

/** @param running number of requests at each look; the last one repeats */
function start(running: readonly (number | Error)[], fails = false) {
  const clock = createFakeClock()
  const steps: string[] = []
  let looks = 0
  const done = leaveCluster({
    nodeId: 'n',
    frontEnd: {
      async change(_, verb) {
        if (fails) throw new Error('nobody there')
        steps.push(verb)
      },
      async countRunning() {
        const next = running[Math.min(looks, running.length - 1)] ?? 0
        looks += 1
        if (next instanceof Error) throw next
        steps.push(`${next} running`)
        return next
      },
    },
    stopProcesses: async () => void steps.push('processes'),
    endSession: async () => void steps.push('session'),
    clock,
    logger: silentLogger,
  })
  return { clock, steps, done }
}

it('waits for running requests before it ends their processes, and then says that it is gone', async () => {
  const { clock, steps, done } = start([2, 1, 0])
  await clock.waitForSleepers(1)
  await clock.advance(250)
  await clock.waitForSleepers(1)
  await clock.advance(250)
  await done
  expect(steps).toEqual(['drain', '2 running', '1 running', '0 running', 'processes', 'session', 'deregister'])
})

it('ends requests that run too long', async () => {
  const { clock, steps, done } = start([1])
  await clock.waitForSleepers(1)
  await clock.advance(21_000)
  await done
  expect(steps.slice(-3)).toEqual(['processes', 'session', 'deregister'])
})

it('is not held up by a front end that does not answer', async () => {
  const silent = start([], true)
  await silent.done
  expect(silent.steps).toEqual(['processes', 'session'])
  const odd = start([new Error('no list')])
  await odd.done
  expect(odd.steps).toEqual(['drain', 'processes', 'session', 'deregister'])
})
