import { eventually, type RunningNats, startNats } from '@svc/test-kit'
import { afterAll, describe, expect, it } from 'vitest'
import { silentLogger } from '../backends/__fixtures__/silent-logger.ts'
import { systemClock } from '../clock.ts'
import { openMessenger } from '../cluster/nats/__fixtures__/open-messenger.ts'
import { createNatsMessenger } from '../cluster/nats/create-nats-messenger.ts'
import { createNodeCredentials } from '../cluster/nats/node-credentials.ts'
import { openSession, type WorkerSession } from './session.ts'

const nats = await startNats()
afterAll(() => nats[Symbol.asyncDispose]())
const bus = nats as RunningNats
const never = new AbortController().signal

it('says why the session was not tried', (context) => {
  if (!nats.available) context.skip(nats.reason)
})

describe.skipIf(!nats.available)('the session of a worker', () => {
  /** A front end that mints credentials of four seconds. */
  async function open(): Promise<{
    readonly session: WorkerSession
    readonly counts: { registrations: number; heartbeats: number }
    readonly state: { id: string; isKnown: boolean }
  }> {
    const credentials = await createNodeCredentials({ accountSeed: bus.accountSeed, ttlMs: 4000 })
    const counts = { registrations: 0, heartbeats: 0 }
    const state = { id: 'n1', isKnown: true }
    const session = await openSession({
      frontEnd: {
        async register() {
          counts.registrations += 1
          state.isKnown = true
          const minted = await credentials.mint({ nodeId: state.id, kind: 'backend', inbox: 'own' }, Date.now())
          const node = { id: state.id, name: 'w', node_type: 'backend', status: 'healthy', created_at: '' } as const
          return { ...node, nats_jwt: minted.jwt, nats_user_seed: minted.seed }
        },
        async heartbeat() {
          counts.heartbeats += 1
          return state.isKnown
        },
      },
      toBody: async () => ({}),
      toHeartbeat: async () => ({}),
      heartbeatMs: 50,
      needsCredentials: true,
      connect: (options) =>
        createNatsMessenger({ ...options, url: bus.url, name: 'w', clock: systemClock, logger: silentLogger }),
      serve: (messenger, nodeId) => messenger.serve(`nodes.${nodeId}.ping`, async () => nodeId),
      clock: systemClock,
      logger: silentLogger,
      signal: never,
    })
    return { session, counts, state }
  }

  it('renews its credentials without a gap, and beats while the bus is away', async () => {
    await using front = await openMessenger(bus)
    const { session, counts } = await open()
    try {
      const ask = () => front.request('nodes.n1.ping', {}, { signal: never, timeoutMs: 1500 })
      await eventually(async () => expect(await ask()).toBe('n1'))
      const until = Date.now() + 6500
      while (Date.now() < until) {
        expect(await ask()).toBe('n1')
      }
      expect(counts.registrations).toBeGreaterThan(2)
      await bus.halt()
      await eventually(() => expect(session.isReady()).toBe(false))
      const { heartbeats } = counts
      await eventually(() => expect(counts.heartbeats).toBeGreaterThan(heartbeats + 2))
      await bus.resume()
      await eventually(() => expect(session.isReady()).toBe(true))
    } finally {
      await session.close()
    }
    const { heartbeats } = counts
    expect(session.isReady()).toBe(false)
    expect(counts.heartbeats).toBe(heartbeats)
  })

  it('joins again as what the front end says when it is not known any more', async () => {
    await using front = await openMessenger(bus)
    const { session, state } = await open()
    try {
      Object.assign(state, { id: 'n2', isKnown: false })
      await eventually(() => expect(session.nodeId).toBe('n2'))
      await eventually(async () => {
        expect(await front.request('nodes.n2.ping', {}, { signal: never, timeoutMs: 1500 })).toBe('n2')
      })
      await eventually(async () => {
        await expect(front.request('nodes.n1.ping', {}, { signal: never, timeoutMs: 1500 })).rejects.toMatchObject({
          code: 'no_responders',
        })
      })
    } finally {
      await session.close()
    }
  })
})
