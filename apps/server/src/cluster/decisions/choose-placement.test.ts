import { describe, expect, it } from 'vitest'
import type { ClusterNode, Replica } from '../contract/nodes.ts'
import { aNode, aReplica, GIB, rules } from './__fixtures__/cluster.ts'
import { choosePlacement, explainPlacement } from './choose-placement.ts'
import { createClusterIndex } from './cluster-view.ts'
import type { ModelNeeds, PlacementInput } from './placement-types.ts'

const NEEDS: ModelNeeds = { model: 'm', sizeBytes: 20 * GIB, memoryBytes: 24 * GIB, concurrencyGroups: [] }

function input(
  nodes: readonly ClusterNode[],
  replicas: readonly Replica[] = [],
  fields: Partial<PlacementInput> = {},
): PlacementInput {
  return {
    needs: NEEDS,
    view: createClusterIndex({ nodes, replicas }),
    scheduling: rules('m'),
    isDiskChecked: true,
    ...fields,
  }
}

const MISFITS: readonly [name: string, node: ClusterNode, filter: string, fields?: Partial<PlacementInput>][] = [
  ['runs agents', aNode('x', { kind: 'agent' }), 'kind'],
  ['waits for approval', aNode('x', { status: 'pending' }), 'status'],
  ['drains', aNode('x', { status: 'draining' }), 'status'],
  [
    'lacks a label',
    aNode('x', { labels: { zone: 'b' } }),
    'selector',
    { scheduling: rules('m', { nodeSelector: { zone: 'a' } }) },
  ],
  ['failed just now', aNode('x'), 'excluded', { excludedNodes: new Set(['x']) }],
  ['has less disk than the size and 1 GiB', aNode('x', { availableDisk: 20.9 * GIB }), 'disk'],
  [
    'has less disk than the size and 5 %',
    aNode('x', { availableDisk: 104 * GIB }),
    'disk',
    { needs: { ...NEEDS, sizeBytes: 100 * GIB } },
  ],
  [
    'has less than 2 GiB of disk for a model of unknown size',
    aNode('x', { availableDisk: 1.9 * GIB }),
    'disk',
    { needs: { ...NEEDS, sizeBytes: undefined } },
  ],
  ['has too little live free memory', aNode('x', { availableVram: 23 * GIB }), 'memory'],
  ['has memory that running loads will take', aNode('x', { availableVram: 30 * GIB, reservedVram: 7 * GIB }), 'memory'],
  ['is at its budget', aNode('x', { availableVram: 60 * GIB, vramBudget: 43 * GIB }), 'memory'],
  [
    'has no devices and too little main memory',
    aNode('x', { totalVram: 0, availableVram: 0, availableRam: 8 * GIB }),
    'memory',
  ],
]

describe('choosePlacement', () => {
  it.each(MISFITS)('refuses a node that %s', (_name, node, filter, fields) => {
    const alone = choosePlacement(input([node], [], fields))
    expect(alone).toMatchObject({ kind: 'none', reason: 'refused', nodes: [{ refusals: [{ filter }] }] })

    const fitting = aNode('fits', { labels: { zone: 'a' } })
    expect(choosePlacement(input([node, fitting], [], fields))).toMatchObject({ kind: 'chosen', nodeId: 'fits' })
  })

  it('allows a disk of unknown size', () => {
    expect(choosePlacement(input([aNode('x', { totalDisk: 0, availableDisk: 0 })]))).toMatchObject({ kind: 'chosen' })
  })

  it('needs no disk where the files are already', () => {
    const full = aNode('x', { availableDisk: 0 })
    expect(choosePlacement(input([full], [], { isStagedOn: () => true }))).toMatchObject({ kind: 'chosen' })
    const beside = input([aNode('x', { availableDisk: 0, maxReplicas: 2 })], [aReplica('x', 'm')])
    expect(choosePlacement(beside)).toMatchObject({ kind: 'chosen', replicaIndex: 1 })
  })

  it('only warns of the disk when the check is off', () => {
    expect(choosePlacement(input([aNode('x', { availableDisk: 0 })], [], { isDiskChecked: false }))).toMatchObject({
      kind: 'chosen',
      warnings: [{ filter: 'disk', available: 0, needed: 21 * GIB }],
    })
  })

  it('takes the first free index, also of a replica that is being removed', () => {
    const replicas = [
      aReplica('x', 'm', { replicaIndex: 0, state: 'unloading' }),
      aReplica('x', 'm', { replicaIndex: 2 }),
    ]
    expect(choosePlacement(input([aNode('x', { maxReplicas: 3 })], replicas))).toMatchObject({ replicaIndex: 1 })
    expect(choosePlacement(input([aNode('x', { maxReplicas: 2 })], replicas))).toMatchObject({
      kind: 'none',
      nodes: [{ refusals: [{ filter: 'slot', available: 2 }] }],
    })
  })

  it('prefers a node without the model, then an idle node, then the least loaded', () => {
    const nodes = ['a', 'b', 'c'].map((id) => aNode(id, { maxReplicas: 2 }))
    const busy = aReplica('b', 'n', { inFlight: 3 })
    const decide = (...replicas: Replica[]) => choosePlacement(input(nodes, replicas))
    expect(decide(aReplica('a', 'm'), busy)).toMatchObject({ nodeId: 'c' })
    expect(decide(aReplica('a', 'm'), busy, aReplica('c', 'n'))).toMatchObject({ nodeId: 'c' })
    expect(decide(aReplica('a', 'm'), busy, aReplica('c', 'm'))).toMatchObject({ nodeId: 'b' })
  })

  it('gives each node one replica when the model is spread', () => {
    const nodes = [aNode('a', { maxReplicas: 4 }), aNode('b')]
    const scheduling = rules('m', { spreadAll: true })
    expect(choosePlacement(input(nodes, [aReplica('b', 'm')], { scheduling }))).toMatchObject({ nodeId: 'a' })
    const everywhere = [aReplica('a', 'm'), aReplica('b', 'm')]
    expect(choosePlacement(input(nodes, everywhere, { scheduling }))).toMatchObject({ kind: 'none' })
  })

  it('counts replicas of the model against its greatest number, but those on their way out', () => {
    const nodes = [aNode('a'), aNode('b')]
    const scheduling = rules('m', { maxReplicas: 1 })
    expect(choosePlacement(input(nodes, [aReplica('a', 'm')], { scheduling }))).toMatchObject({
      reason: 'max_replicas',
    })
    const leaving = [aReplica('a', 'm', { state: 'unloading' })]
    expect(choosePlacement(input(nodes, leaving, { scheduling }))).toMatchObject({ nodeId: 'b' })
  })
})

describe('evictions', () => {
  const full = (id: string) => aNode(id, { availableVram: 0 })
  const sized = (nodeId: string, model: string, gib: number, fields: Partial<Replica> = {}) =>
    aReplica(nodeId, model, { sizeVram: gib * GIB, ...fields })
  const victims = (decision: ReturnType<typeof choosePlacement>) =>
    decision.kind === 'chosen' ? decision.evictions.map(({ model }) => model) : decision.kind

  it('take the least recently used replicas, and no more than are needed', () => {
    const replicas = [
      sized('x', 'small', 2, { usedAt: 1 }),
      sized('x', 'old', 20, { usedAt: 2 }),
      sized('x', 'older', 10, { usedAt: 3 }),
      sized('x', 'young', 50, { usedAt: 4 }),
    ]
    expect(victims(choosePlacement(input([full('x')], replicas)))).toEqual(['old', 'older'])
  })

  it('happen where the replicas have been idle for longest', () => {
    const replicas = [sized('x', 'a', 30, { usedAt: 9 }), sized('y', 'b', 30, { usedAt: 5 })]
    expect(choosePlacement(input([full('x'), full('y')], replicas))).toMatchObject({ nodeId: 'y' })
  })

  it('wait for running requests', () => {
    const decision = choosePlacement(input([full('x')], [sized('x', 'a', 30, { inFlight: 1 })]))
    expect(decision).toMatchObject({ kind: 'wait', retryMs: 500, nodes: [{ isBusy: true }] })
  })

  it('never take the last replicas that the rules of a model keep', () => {
    const replicas = [sized('x', 'a', 30), sized('y', 'a', 30)]
    const decide = (least: number) =>
      choosePlacement(input([full('x'), full('y')], replicas, { minReplicasOf: () => least }))
    expect(victims(decide(1))).toEqual(['a'])
    expect(decide(2)).toMatchObject({ kind: 'none' })
  })

  it('take a replica of unknown size to be as large as the model', () => {
    const unknown = [
      aReplica('x', 'a', { sizeVram: undefined }),
      aReplica('x', 'b', { sizeVram: undefined, usedAt: 1 }),
    ]
    expect(victims(choosePlacement(input([full('x')], unknown)))).toEqual(['a'])
  })

  it('take models of the same concurrency group, or another node does', () => {
    const groups: Record<string, readonly string[]> = { a: ['big', 'x'], b: ['y'] }
    const fields = {
      needs: { ...NEEDS, concurrencyGroups: ['big'] },
      groupsOf: (model: string) => groups[model] ?? [],
    }
    const replicas = [aReplica('x', 'a'), aReplica('x', 'b')]
    expect(victims(choosePlacement(input([aNode('x')], replicas, fields)))).toEqual(['a'])
    expect(choosePlacement(input([aNode('x'), aNode('y')], [...replicas, aReplica('y', 'b')], fields))).toMatchObject({
      nodeId: 'y',
      evictions: [],
    })
    const busy = [aReplica('x', 'a', { inFlight: 1 })]
    expect(choosePlacement(input([aNode('x')], busy, fields))).toMatchObject({
      kind: 'wait',
      nodes: [{ refusals: [{ filter: 'group', detail: 'runs models of the same concurrency group: a' }] }],
    })
  })
})

describe('explainPlacement', () => {
  it('names every filter that refused a node, with figures', () => {
    const bad = aNode('bad', { status: 'offline', availableDisk: 0, availableVram: GIB })
    const { decision, nodes } = explainPlacement(input([aNode('good'), bad]))
    expect(decision).toMatchObject({ kind: 'chosen', nodeId: 'good' })
    expect(nodes.map(({ nodeName, isPossible, refusals }) => [nodeName, isPossible, refusals])).toEqual([
      [
        'bad',
        false,
        [
          { filter: 'status', detail: 'is offline' },
          { filter: 'disk', detail: 'has 0 MiB of disk free, 21,504 MiB are needed', needed: 21 * GIB, available: 0 },
          {
            filter: 'memory',
            detail: 'has 1,024 MiB of device memory free, 24,576 MiB are needed',
            needed: 24 * GIB,
            available: GIB,
          },
        ],
      ],
      ['good', true, []],
    ])
  })
})
