import type { BackendClient } from '@svc/backend-client'
import { SvcError } from '@svc/errors'
import { createFakeClock } from '@svc/test-kit'
import { expect, it } from 'vitest'
import { silentLogger } from '../../db/__fixtures__/places.ts'
import { aReplica } from '../decisions/__fixtures__/cluster.ts'
import { createScriptedWorkers } from '../reconcile/__fixtures__/scripted-workers.ts'
import { createReplicaHealth } from './replica-health.ts'
import { createWorkerClients } from './worker-clients.ts'

const { signal } = new AbortController()
const node = { httpAddress: 'a:50050' }
const replica = aReplica('a', 'm')

function open({ health, remove = async () => true }: { health: () => Promise<void>; remove?: () => Promise<boolean> }) {
  const clock = createFakeClock()
  const workers = createScriptedWorkers()
  const published: string[] = []
  const client = { health, close() {} } as BackendClient
  const all = createReplicaHealth({
    clients: createWorkerClients(() => client),
    copy: { touch() {} },
    replicas: { remove },
    nodes: { reportUnreachable: async (id) => void published.push(`unreachable ${id}`) },
    messenger: workers.messenger,
    bus: { publish: (subject) => void published.push(subject) },
    clock,
    logger: silentLogger,
  })
  return { ...all, ...workers, clock, published }
}

it.each([
  ['its row goes', async () => true],
  ['its row cannot be removed', () => Promise.reject(new SvcError('unavailable', 'the database is away'))],
])('gives no request to a process that holds another model: %s', async (_, remove) => {
  const health = open({ health: async () => {}, remove })
  expect(await health.check(replica, node, signal)).toBe(true)
  expect(health.isTrusted(replica)).toBe(true)
  const dropped = health.drop(replica)
  // A request that is placed again at once does not come to it again.
  expect([health.isTrusted(replica), health.isAvoided(replica)]).toEqual([false, true])
  health.suspect(replica)
  expect(health.isAvoided(replica)).toBe(true)
  await dropped
  expect(health.isAvoided(replica)).toBe(true)
  expect(health.published).toEqual(['loads.changed'])
  expect(health.isAvoided({ ...replica, address: 'a:50052' })).toBe(false)
  await health.clock.advance(10_000)
  expect(health.isAvoided(replica)).toBe(false)
})

it('asks again after a failed call, and tells apart a process that is gone from a lost bus', async () => {
  let failure: SvcError | undefined
  const health = open({
    health: async () => {
      if (failure !== undefined) throw failure
    },
  })
  await health.check(replica, node, signal)
  health.suspect(replica)
  expect([health.isTrusted(replica), health.isAvoided(replica)]).toEqual([false, false])
  failure = new SvcError('timeout', 'busy')
  expect(await health.check(replica, node, signal)).toBe(true)
  failure = new SvcError('unavailable', 'refused')
  health.messenger.isConnected = false
  expect(await health.check(replica, node, signal)).toBe(false)
  expect([health.isAvoided(replica), health.published]).toEqual([true, []])
  health.messenger.isConnected = true
  expect(await health.check(replica, node, signal)).toBe(false)
  expect(health.published).toEqual(['unreachable a'])
  health.worker('a')
  expect(await health.check(replica, node, signal)).toBe(false)
  expect(health.published).toEqual(['unreachable a', 'loads.changed'])
})
