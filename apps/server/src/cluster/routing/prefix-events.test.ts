import { eventually, type RunningNats, startNats, type UnavailableNats } from '@svc/test-kit'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { aReplica, rules } from '../decisions/__fixtures__/cluster.ts'
import { chooseReplica } from '../decisions/choose-replica.ts'
import { openMessenger, type TestMessenger } from '../nats/__fixtures__/open-messenger.ts'
import { createSharedPrefixes, type SharedPrefixes } from './prefix-events.ts'

const nats: RunningNats | UnavailableNats = await startNats()
afterAll(() => nats[Symbol.asyncDispose]())

describe.skipIf(!nats.available)('prefixes of two front ends over NATS', () => {
  const PROMPT = 'You are a helpful assistant. '.repeat(100)
  const b0 = { nodeId: 'b', replicaIndex: 0 }
  let messengers: readonly TestMessenger[]
  let fronts: readonly SharedPrefixes[]

  beforeAll(async () => {
    const server = nats as RunningNats
    messengers = await Promise.all([openMessenger(server), openMessenger(server), openMessenger(server)])
    fronts = await Promise.all(
      messengers
        .slice(0, 2)
        .map((messenger, index) => createSharedPrefixes({ messenger, frontEnd: `front-${index}`, now: () => 0 })),
    )
  })
  afterAll(async () => {
    for (const front of fronts) front.close()
    await Promise.all(messengers.map((messenger) => messenger.close()))
  })

  const share = (front: SharedPrefixes | undefined, model: string) =>
    front?.find({ chain: front.readChain(model, PROMPT), now: 0, isAllowed: () => true, limit: 1 })[0]?.share ?? 0
  /** Repeats an action until it has been heard: the first message may be sent before the server knows a subscription. */
  const untilHeard = (act: () => void, isHeard: () => boolean) =>
    eventually(() => {
      act()
      if (!isHeard()) throw new Error('not heard yet')
    })
  const observe = (model: string) => {
    fronts[0]?.forget(model, b0)
    fronts[0]?.observe(model, { chain: fronts[0].readChain(model, PROMPT), replica: b0 })
  }

  it('route a prompt at one to the replica that another one chose', async () => {
    await untilHeard(
      () => observe('m'),
      () => share(fronts[1], 'm') === 1,
    )
    const [, other] = fronts
    if (!other) throw new Error('there is no second front end')
    const choice = chooseReplica({
      model: 'm',
      replicas: [aReplica('a', 'm'), aReplica('b', 'm', { inFlight: 1 })],
      scheduling: rules('m'),
      defaultPolicy: 'prefix_cache',
      chain: other.readChain('m', `${PROMPT} And what of this?`),
      prefixes: other,
      now: 0,
      turn: 0,
    })
    expect(choice).toMatchObject({ replica: { nodeId: 'b' }, reason: 'prefix' })
  })

  it('forget a replica at both', async () => {
    await untilHeard(
      () => observe('gone'),
      () => share(fronts[1], 'gone') === 1,
    )
    fronts[0]?.forget('gone', b0)
    await eventually(() => {
      if (share(fronts[1], 'gone') > 0) throw new Error('not forgotten yet')
    })
    expect(share(fronts[0], 'gone')).toBe(0)
  })

  it('count a request of their own once', async () => {
    observe('own')
    await untilHeard(
      () => observe('after'),
      () => share(fronts[1], 'after') === 1,
    )
    expect(fronts[0]?.recentRequests('own', b0, 0)).toBe(1)
  })

  it('pass over messages that nobody can read', async () => {
    const before = fronts[1]?.recentRequests('bad', b0, 0)
    const place = { model: 'bad', node_id: 'b', replica: 0 }
    const messages = [
      undefined,
      'text',
      { ...place, chain: ['1'] },
      { ...place, chain: Array(65).fill(1) },
      { ...place, chain: [1], replica: 0.5 },
      { ...place, chain: [1], replica: -1 },
      { chain: [1] },
    ]
    for (const message of messages) messengers[2]?.publish('prefixcache.observe', message ?? null)
    await untilHeard(
      () => messengers[2]?.publish('prefixcache.observe', { ...place, model: 'good', chain: [7] }),
      () => (fronts[1]?.recentRequests('good', b0, 0) ?? 0) > 0,
    )
    expect(fronts[1]?.recentRequests('bad', b0, 0)).toBe(before)
  })
})
