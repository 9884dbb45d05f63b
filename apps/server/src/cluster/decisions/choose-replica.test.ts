import { describe, expect, it } from 'vitest'
import { aNode, aReplica, GIB, rules } from './__fixtures__/cluster.ts'
import { chooseReplica, type ReplicaInput } from './choose-replica.ts'
import { createClusterIndex } from './cluster-view.ts'
import { findEligible } from './eligible-replicas.ts'
import { createPrefixIndex } from './prefix-index.ts'

const CHAIN = [1, 2, 3, 4]

function choose(fields: Partial<ReplicaInput>) {
  const choice = chooseReplica({
    model: 'm',
    replicas: [],
    scheduling: rules('m'),
    defaultPolicy: 'prefix_cache',
    chain: [],
    prefixes: createPrefixIndex(),
    now: 1000,
    turn: 0,
    ...fields,
  })
  return choice && [choice.replica.nodeId, choice.reason, choice.prefixShare]
}

const replica = (nodeId: string, inFlight = 0, usedAt = 0) => aReplica(nodeId, 'm', { inFlight, usedAt })

function indexWith(nodeId: string, chain: readonly number[], now = 1000) {
  const prefixes = createPrefixIndex()
  prefixes.observe('m', { chain, replica: { nodeId, replicaIndex: 0 }, now })
  return prefixes
}

describe('chooseReplica', () => {
  it('has nothing to choose from', () => {
    expect(choose({})).toBeUndefined()
    expect(choose({ replicas: [replica('a', 7)] })).toEqual(['a', 'only', 0])
  })

  it('takes the least busy, then the oldest use, then the most free memory', () => {
    expect(choose({ replicas: [replica('a', 2), replica('b', 1), replica('c', 3)] })).toEqual(['b', 'least_loaded', 0])
    expect(choose({ replicas: [replica('a', 0, 5), replica('b', 0, 4)] })).toEqual(['b', 'least_loaded', 0])
    const freeMemoryOf = (id: string) => (id === 'b' ? 2 : 1)
    expect(choose({ replicas: [replica('a'), replica('b'), replica('c')], freeMemoryOf })?.[0]).toBe('b')
    expect(
      choose({ replicas: [replica('a', 9), replica('b')], inFlightOf: ({ nodeId }) => (nodeId === 'a' ? 0 : 1) })?.[0],
    ).toBe('a')
  })

  it('takes each in turn', () => {
    const replicas = [replica('b'), replica('a', 50), aReplica('a', 'm', { replicaIndex: 1 })]
    const scheduling = rules('m', { routePolicy: 'round_robin' })
    const turns = [0, 1, 2, 3].map((turn) => choose({ replicas, scheduling, turn })?.[0])
    expect(turns).toEqual(['a', 'a', 'b', 'a'])
  })

  const two = [replica('a', 0, 0), replica('b', 1, 9)]

  it('takes the one that knows the beginning of the prompt', () => {
    const prefixes = indexWith('b', CHAIN)
    expect(choose({ replicas: two, prefixes, chain: CHAIN })).toEqual(['b', 'prefix', 1])
    expect(choose({ replicas: two, prefixes, chain: [1, 2, 9, 9] })).toEqual(['b', 'prefix', 0.5])
    expect(choose({ replicas: two, prefixes, chain: CHAIN, defaultPolicy: 'least_loaded' })?.[1]).toBe('least_loaded')
  })

  it('takes a match of three tenths, and no less', () => {
    const prefixes = indexWith('b', [1, 2, 3])
    const chain = (length: number) => [1, 2, 3, ...Array.from({ length: length - 3 }, (_, index) => 100 + index)]
    expect(choose({ replicas: two, prefixes, chain: chain(10) })?.[0]).toBe('b')
    expect(choose({ replicas: two, prefixes, chain: chain(11) })?.[0]).toBe('a')
    const scheduling = rules('m', { minPrefixMatch: 0.8 })
    expect(choose({ replicas: two, prefixes, chain: chain(4), scheduling })?.[0]).toBe('a')
  })

  it('does not take one that is much busier', () => {
    const prefixes = indexWith('b', CHAIN)
    const at = (a: number, b: number, fields = {}) =>
      choose({
        replicas: [replica('a', a), replica('b', b)],
        prefixes,
        chain: CHAIN,
        scheduling: rules('m', fields),
      })?.[0]
    // At most 2 more, and at most half as many again and one.
    expect([at(0, 1), at(0, 2), at(10, 12), at(10, 13), at(2, 4), at(1, 3)]).toEqual(['b', 'a', 'b', 'a', 'b', 'a'])
    expect([at(10, 15, { balanceAbsThreshold: 6 }), at(10, 17, { balanceAbsThreshold: 9 })]).toEqual(['b', 'a'])
  })

  it('takes a shorter match rather than an overloaded one', () => {
    const prefixes = indexWith('b', CHAIN)
    prefixes.observe('m', { chain: [1, 2], replica: { nodeId: 'c', replicaIndex: 0 }, now: 1000 })
    const replicas = [replica('a'), replica('b', 9), replica('c')]
    expect(choose({ replicas, prefixes, chain: CHAIN })).toEqual(['c', 'prefix', 0.5])
  })

  it('forgets a beginning after its time, and a replica that was removed', () => {
    const prefixes = indexWith('b', CHAIN, 1000)
    expect(choose({ replicas: two, prefixes, chain: CHAIN, now: 301_000 })?.[0]).toBe('b')
    expect(choose({ replicas: two, prefixes, chain: CHAIN, now: 301_001 })?.[0]).toBe('a')
    prefixes.forget('m', { nodeId: 'b', replicaIndex: 0 })
    expect(choose({ replicas: two, prefixes, chain: CHAIN })?.[0]).toBe('a')
  })
})

describe('findEligible', () => {
  it('leaves out replicas that are not loaded, of an old revision, or on a node that is not healthy or selected', () => {
    const nodes = [
      aNode('good', { labels: { zone: 'a' } }),
      aNode('drains', { status: 'draining', labels: { zone: 'a' } }),
      aNode('elsewhere', { availableVram: GIB }),
      aNode('pending', { status: 'pending', labels: { zone: 'a' } }),
    ]
    const replicas = [
      aReplica('good', 'm', { replicaIndex: 0 }),
      aReplica('good', 'm', { replicaIndex: 1, state: 'loading' }),
      aReplica('good', 'm', { replicaIndex: 2, configRevision: 'r0' }),
      aReplica('good', 'm', { replicaIndex: 3, address: '' }),
      aReplica('good', 'other', { replicaIndex: 4 }),
      ...['drains', 'elsewhere', 'pending', 'gone'].map((nodeId) => aReplica(nodeId, 'm')),
    ]
    const eligible = findEligible({
      view: createClusterIndex({ nodes, replicas }),
      model: 'm',
      scheduling: { nodeSelector: { zone: 'a' } },
      configRevision: 'r1',
    })
    expect(eligible.map(({ id }) => id)).toEqual(['good m 0'])
  })
})
