import { createDeferred, createFakeClock } from '@svc/test-kit'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { busContract } from './__fixtures__/bus-contract.ts'
import { createPeer } from './__fixtures__/bus-peer.ts'
import { createLocalHub } from './__fixtures__/local-hub.ts'
import { type BusProcess, startBusProcess } from './__fixtures__/start-bus-process.ts'
import type { BusLink } from './bus.ts'
import { MAX_LISTENERS } from './channel.ts'
import { createBus } from './create-bus.ts'
import { nextMessage } from './next-message.ts'

const silent = { warn: () => undefined, error: () => undefined }

describe('the bus of one process', () => {
  busContract(async () => {
    const hub = createLocalHub()
    return { link: hub.link(), peer: createPeer(createBus({ link: hub.link(), logger: silent })) }
  })
})

describe('the bus of two processes', () => {
  let other: BusProcess
  beforeAll(async () => {
    other = await startBusProcess()
  })
  afterAll(() => other[Symbol.asyncDispose]())
  busContract(() => other.open())
})

it.each([
  ['no JSON', 'settings.changed', '{'],
  ['an unknown subject', 'weather.changed', '{}'],
  ['a name of every object', 'constructor', '{}'],
  ['null', 'settings.changed', 'null'],
  ['keys that are not a list', 'settings.changed', '{"keys":"threads"}'],
  ['keys that are not texts', 'settings.changed', '{"keys":[1]}'],
  ['a missing list', 'models.changed', '{"added":[],"changed":[]}'],
  ['an unknown kind', 'rights.revoked', '{"kind":"planet"}'],
  ['a user without an id', 'rights.revoked', '{"kind":"user"}'],
  ['a key with a number', 'rights.revoked', '{"kind":"api-key","apiKeyId":1}'],
  ['a session without an id', 'rights.revoked', '{"kind":"session"}'],
  ['an unknown way to stop', 'operations.stopped', '{"jobId":"a","how":"burnt"}'],
  ['a subject of one process', 'failover.changed', '{"group":"g","event":{"type":"reset"}}'],
])('drops %s from another server', async (_, subject, text) => {
  let receive: (subject: string, text: string) => void = () => undefined
  const link: BusLink = {
    send: () => undefined,
    receive: (onMessage) => {
      receive = onMessage
    },
    close: async () => undefined,
  }
  const bus = createBus({ link, logger: silent })
  const peer = createPeer(bus)
  receive(subject, text)
  receive('operations.changed', '{"jobId":"good"}')
  await bus.close()
  expect(await peer.heard()).toEqual([{ subject: 'operations.changed', message: { jobId: 'good' } }])
})

it('ends its subscriptions when its link cannot be closed', async () => {
  let receive: (subject: string, text: string) => void = () => undefined
  const failure = new Error('the connection is broken')
  const link: BusLink = {
    send: () => undefined,
    receive: (onMessage) => {
      receive = onMessage
    },
    close: () => Promise.reject(failure),
  }
  const bus = createBus({ link, logger: silent })
  const running = createDeferred()
  const refreshed: string[] = []
  const heard: unknown[] = []
  bus.refreshWith('operations.changed', async (message) => {
    refreshed.push(message.jobId)
    await running.promise
    return message
  })
  bus.subscribe('operations.changed', (message) => heard.push(message))
  receive('operations.changed', '{"jobId":"a"}')
  receive('operations.changed', '{"jobId":"b"}')
  const closing = expect(bus.close()).rejects.toBe(failure)
  await new Promise((resolve) => setImmediate(resolve))
  running.resolve()
  await closing
  expect([refreshed, heard]).toEqual([['a'], []])
})

describe('waiting for a message', () => {
  const isMeant = ({ id }: { readonly id: string }): boolean => id === 'a'

  it('ends with the one that is meant', async () => {
    const bus = createBus({ logger: silent })
    let isHere = false
    const waiting = nextMessage(bus, 'responses.changed', { isMeant, signal: new AbortController().signal }).then(
      () => {
        isHere = true
      },
    )
    bus.publish('responses.changed', { id: 'b' })
    await Promise.resolve()
    expect(isHere).toBe(false)
    bus.publish('responses.changed', { id: 'a' })
    await waiting
  })

  it('ends with its signal', async () => {
    const bus = createBus({ logger: silent })
    const left = new AbortController()
    const waiting = nextMessage(bus, 'responses.changed', { isMeant, signal: left.signal })
    const reason = new Error('gone')
    left.abort(reason)
    await expect(waiting).rejects.toBe(reason)
    await expect(nextMessage(bus, 'responses.changed', { isMeant, signal: left.signal })).rejects.toBe(reason)
  })

  it.each(['is lost', 'finds no place among the listeners'])('ends after a time when the message %s', async (why) => {
    const bus = createBus({ logger: silent })
    const clock = createFakeClock()
    if (why !== 'is lost') {
      for (let count = 0; count < MAX_LISTENERS; count += 1) bus.subscribe('responses.changed', () => undefined)
    }
    const { promise, resolve } = createDeferred()
    const signal = new AbortController().signal
    void nextMessage(bus, 'responses.changed', { isMeant, signal, atMost: { ms: 500, clock } }).then(resolve)
    await clock.waitForSleepers(1)
    await clock.advance(500)
    await promise
    expect(clock.sleepers).toBe(0)
  })
})
