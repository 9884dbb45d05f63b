import { describe, expect, it } from 'vitest'
import type { ClusterNode, Replica, Scheduling } from '../contract/nodes.ts'
import { aNode, aReplica, GIB, rules } from './__fixtures__/cluster.ts'
import { createClusterIndex } from './cluster-view.ts'
import { planReconcile } from './plan-reconcile.ts'
import type { ReconcileAction, ReconcileInput } from './reconcile-types.ts'

const NOW = 10_000_000

function plan(
  nodes: readonly ClusterNode[],
  replicas: readonly Replica[],
  fields: Partial<ReconcileInput> = {},
): readonly ReconcileAction[] {
  return planReconcile({
    now: NOW,
    view: createClusterIndex({ nodes, replicas }),
    replicas,
    schedules: [],
    needsOf: (model) => ({ model, sizeBytes: GIB, memoryBytes: 30 * GIB, concurrencyGroups: [] }),
    revisionOf: () => 'r1',
    groupsOf: () => [],
    isDiskChecked: true,
    running: new Map(),
    runningAt: NOW,
    ...fields,
  })
}

const kinds = (actions: readonly ReconcileAction[]) =>
  actions.map((action) => {
    if (action.kind === 'add') return ['add', action.reason, action.placement.nodeId]
    if (action.kind === 'remove') return ['remove', action.reason, action.replica.id]
    if (action.kind === 'stop') return ['stop', action.nodeId, action.process.model]
    return ['note', action.ticks, action.restUntil]
  })

const used = (nodeId: string, fields: Partial<Replica> = {}) => aReplica(nodeId, 'm', { usedAt: NOW, ...fields })
const nodes = [aNode('a'), aNode('b'), aNode('c', { labels: { zone: 'z' } })]

const CASES: readonly [
  name: string,
  replicas: readonly Replica[],
  schedules: readonly Scheduling[],
  expected: readonly (readonly unknown[])[],
][] = [
  ['leaves a model without rules alone', [used('a', { inFlight: 9, usedAt: 0 })], [], []],
  [
    'restores the least number on nodes of their own',
    [used('a')],
    [rules('m', { minReplicas: 3 })],
    [
      ['add', 'below_min', 'b'],
      ['add', 'below_min', 'c'],
    ],
  ],
  [
    'does not count a replica on its way out',
    [used('a', { state: 'unloading' })],
    [rules('m', { minReplicas: 1 })],
    [['add', 'below_min', 'b']],
  ],
  ['counts a replica that is being loaded', [used('a', { state: 'loading' })], [rules('m', { minReplicas: 1 })], []],
  [
    'adds one replica when all are busy',
    [used('a', { inFlight: 1 })],
    [rules('m', { maxReplicas: 2 })],
    [['add', 'all_busy', 'b']],
  ],
  ['adds none when one is free', [used('a', { inFlight: 1 }), used('b')], [rules('m', { maxReplicas: 3 })], []],
  [
    'adds none while one is being loaded',
    [used('a', { inFlight: 1 }), used('b', { state: 'staging' })],
    [rules('m', { maxReplicas: 3 })],
    [],
  ],
  ['adds none past the greatest number', [used('a', { inFlight: 1 })], [rules('m', { maxReplicas: 1 })], []],
  [
    'drops idle replicas down to the least number, the oldest use first',
    [used('a', { usedAt: 2 }), used('b', { usedAt: 1 }), used('c', { usedAt: NOW })],
    [rules('m', { minReplicas: 2 })],
    [['remove', 'idle', 'b m 0']],
  ],
  ['keeps the last replica', [used('a', { usedAt: 1 })], [rules('m')], []],
  [
    'drops replicas past the greatest number, but not a busy one',
    [used('a', { inFlight: 1 }), used('b')],
    [rules('m', { maxReplicas: 1 })],
    [['remove', 'surplus', 'b m 0']],
  ],
  [
    'gives each matching node one replica',
    [used('a')],
    [rules('m', { spreadAll: true })],
    [
      ['add', 'spread_all', 'b'],
      ['add', 'spread_all', 'c'],
    ],
  ],
  [
    'moves a replica away from a node that lacks the label',
    [used('a')],
    [rules('m', { minReplicas: 1, nodeSelector: { zone: 'z' } })],
    [
      ['remove', 'not_selected', 'a m 0'],
      ['add', 'below_min', 'c'],
    ],
  ],
  [
    'replaces a replica of an old revision elsewhere while its process ends',
    [used('a', { configRevision: 'r0' })],
    [rules('m', { minReplicas: 1 })],
    [
      ['remove', 'stale_revision', 'a m 0'],
      ['add', 'below_min', 'b'],
    ],
  ],
  ['drops the rows of a node that is gone', [used('gone')], [], [['remove', 'node_gone', 'gone m 0']]],
]

describe('planReconcile', () => {
  it.each(CASES)('%s', (_name, replicas, schedules, expected) => {
    expect(kinds(plan(nodes, replicas, { schedules }))).toEqual(expected)
  })

  it('gives a model of a node that drains another place, and then drops the replica there', () => {
    const draining = [aNode('a', { status: 'draining' }), aNode('b')]
    const schedules = [rules('m', { minReplicas: 1, maxReplicas: 1 })]
    expect(kinds(plan(draining, [used('a')], { schedules }))).toEqual([['add', 'below_min', 'b']])
    expect(kinds(plan(draining, [used('a'), used('b', { usedAt: 1 })], { schedules }))).toEqual([
      ['remove', 'surplus', 'a m 0'],
    ])
  })

  it('rests a model that no node can hold after three rounds', () => {
    const small = [aNode('a', { totalVram: GIB, availableVram: GIB })]
    const round = (fields: Partial<Scheduling>) =>
      kinds(plan(small, [], { schedules: [rules('m', { minReplicas: 1, ...fields })] }))
    expect(round({})).toEqual([['note', 1, undefined]])
    expect(round({ unsatisfiableTicks: 1 })).toEqual([['note', 2, undefined]])
    expect(round({ unsatisfiableTicks: 2 })).toEqual([['note', 0, NOW + 300_000]])
    expect(round({ unsatisfiableUntil: NOW + 1 })).toEqual([])
    expect(kinds(plan(nodes, [], { schedules: [rules('m', { minReplicas: 1, unsatisfiableTicks: 2 })] }))).toEqual([
      ['add', 'below_min', 'a'],
      ['note', 0, undefined],
    ])
  })

  it('does not count a round in which nodes were only busy', () => {
    const full = [aNode('a', { availableVram: 0 })]
    const busy = [aReplica('a', 'n', { inFlight: 1, sizeVram: 60 * GIB })]
    expect(kinds(plan(full, busy, { schedules: [rules('m', { minReplicas: 1 })] }))).toEqual([])
  })

  it('places several models on one node only as far as its memory goes', () => {
    const one = [aNode('a')]
    const schedules = ['m', 'n', 'o'].map((model) => rules(model, { minReplicas: 1 }))
    // 80 GiB hold two models of 30 GiB; the third finds nothing that it may evict.
    expect(kinds(plan(one, [], { schedules }))).toEqual([
      ['add', 'below_min', 'a'],
      ['add', 'below_min', 'a'],
      ['note', 1, undefined],
    ])
  })

  it('evicts nothing to give a busy model another replica', () => {
    const pair = [aNode('a'), aNode('b', { availableVram: 0 })]
    const replicas = [used('a', { inFlight: 1 }), aReplica('b', 'n', { sizeVram: 80 * GIB })]
    expect(kinds(plan(pair, replicas, { schedules: [rules('m', { maxReplicas: 2 })] }))).toEqual([])
  })

  describe('with the processes of the workers', () => {
    const running = (address: string, model = 'm') => new Map([['a', [{ model, replicaIndex: 0, address }]]])

    it('drops a row whose process is gone, and stops a process without a row', () => {
      expect(kinds(plan(nodes, [used('a')], { running: running('', 'ghost') }))).toEqual([
        ['stop', 'a', 'ghost'],
        ['remove', 'not_running', 'a m 0'],
      ])
    })

    it('drops a row whose port belongs to another process now', () => {
      expect(kinds(plan(nodes, [used('a')], { running: running('a:50099') }))).toEqual([
        ['remove', 'not_running', 'a m 0'],
      ])
    })

    it('keeps a row that fits, a younger row, and rows of a worker that did not answer', () => {
      expect(plan(nodes, [used('a')], { running: running('a:50051') })).toEqual([])
      expect(plan(nodes, [used('a', { createdAt: NOW })], { running: new Map([['a', []]]) })).toEqual([])
      expect(
        plan(nodes, [used('b')], { running: running('a:50051', 'm') }).filter(({ kind }) => kind === 'remove'),
      ).toEqual([])
    })

    it('does not stop a process whose load is under way', () => {
      expect(plan(nodes, [used('a', { state: 'staging', address: '' })], { running: running('a:50051') })).toEqual([])
    })
  })
})
