import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { aNode, aReplica, GIB, rules } from './__fixtures__/cluster.ts'
import { choosePlacement, explainPlacement } from './choose-placement.ts'
import { createClusterIndex } from './cluster-view.ts'
import type { PlacementInput } from './placement-types.ts'
import { planReconcile } from './plan-reconcile.ts'

const gib = (max: number) => fc.integer({ min: 0, max }).map((count) => count * GIB)
const anyNode = fc
  .record({
    status: fc.constantFrom('healthy', 'healthy', 'healthy', 'draining', 'offline', 'pending'),
    availableVram: gib(80),
    reservedVram: gib(20),
    vramBudget: fc.option(gib(80), { nil: undefined }),
    availableDisk: gib(100),
    maxReplicas: fc.integer({ min: 1, max: 3 }),
    labels: fc.constantFrom({}, { zone: 'a' }),
  })
  .map((fields) => (id: string) => aNode(id, fields))
const anyReplica = fc.record({
  node: fc.integer({ min: 0, max: 4 }),
  model: fc.constantFrom('m', 'n', 'o'),
  replicaIndex: fc.integer({ min: 0, max: 2 }),
  state: fc.constantFrom('loaded', 'loaded', 'loading', 'unloading', 'idle'),
  inFlight: fc.constantFrom(0, 0, 1, 4),
  sizeVram: fc.option(gib(40), { nil: undefined }),
  usedAt: fc.integer({ min: 0, max: 9 }),
})
const groupsOf = (model: string): readonly string[] => (model === 'o' ? ['g'] : [])
const anyInput = fc
  .record({
    nodes: fc.array(anyNode, { maxLength: 5 }),
    replicas: fc.array(anyReplica, { maxLength: 12 }),
    memoryBytes: fc.option(gib(60), { nil: undefined }),
    least: fc.integer({ min: 0, max: 2 }),
    scheduling: fc.record({
      maxReplicas: fc.integer({ min: 0, max: 4 }),
      spreadAll: fc.boolean(),
      nodeSelector: fc.constantFrom<Record<string, string>>({}, { zone: 'a' }),
    }),
  })
  .map(
    ({ nodes, replicas, memoryBytes, least, scheduling }): PlacementInput => ({
      needs: { model: 'm', sizeBytes: 5 * GIB, memoryBytes, concurrencyGroups: ['g'] },
      view: createClusterIndex({
        nodes: nodes.map((make, index) => make(`n${index}`)),
        replicas: replicas.map(({ node, model, ...fields }) => aReplica(`n${node}`, model, fields)),
      }),
      scheduling: rules('m', scheduling),
      minReplicasOf: () => least,
      groupsOf,
      isDiskChecked: true,
    }),
  )

describe('a placement', () => {
  it('holds every rule, for whatever cluster', () => {
    fc.assert(
      fc.property(anyInput, (input) => {
        const decision = choosePlacement(input)
        if (decision.kind !== 'chosen') return
        const { view, needs } = input
        const node = view.node(decision.nodeId)
        const own = [...view.ofModel('m').values()].filter(({ nodeId }) => nodeId === decision.nodeId)
        const stays = [...view.onNode(decision.nodeId).values()].filter((one) => !decision.evictions.includes(one))
        const freed = decision.evictions.reduce((sum, { sizeVram }) => sum + (sizeVram ?? needs.memoryBytes ?? 0), 0)
        const free = Math.min(
          node?.availableVram ?? 0,
          (node?.vramBudget ?? Infinity) - (80 * GIB - (node?.availableVram ?? 0)),
        )
        expect(node?.status).toBe('healthy')
        expect(own.map(({ replicaIndex }) => replicaIndex)).not.toContain(decision.replicaIndex)
        expect(own.length).toBeLessThan(node?.maxReplicas ?? 0)
        expect(stays.some(({ model }) => groupsOf(model).includes('g'))).toBe(false)
        expect(decision.evictions.every(({ inFlight, model }) => inFlight === 0 && model !== 'm')).toBe(true)
        expect(Math.max(0, free - (node?.reservedVram ?? 0)) + freed).toBeGreaterThanOrEqual(needs.memoryBytes ?? 0)
        for (const { model } of decision.evictions) {
          const left = [...view.ofModel(model).values()].filter(
            (one) => one.state !== 'unloading' && !decision.evictions.includes(one),
          )
          expect(left.length).toBeGreaterThanOrEqual(input.minReplicasOf?.(model) ?? 0)
        }
      }),
      { numRuns: 500 },
    )
  })

  it('is the same again, and agrees with its explanation', () => {
    fc.assert(
      fc.property(anyInput, (input) => {
        const { decision, nodes } = explainPlacement(input)
        expect(choosePlacement(input)).toEqual(decision)
        const possible = nodes.filter(({ isPossible }) => isPossible)
        if (decision.kind === 'chosen') expect(possible.map(({ nodeId }) => nodeId)).toContain(decision.nodeId)
        else if (decision.kind === 'wait' || decision.reason === 'refused') expect(possible).toEqual([])
        for (const node of nodes) expect(node.isPossible).toBe(node.refusals.length === 0)
      }),
      { numRuns: 300 },
    )
  })
})

describe('a reconciler that carries out its plans', () => {
  it('comes to rest', () => {
    fc.assert(
      fc.property(anyInput, ({ view, scheduling, minReplicasOf, needs }) => {
        const replicas = [...view.nodes()].flatMap(({ id }) => [...view.onNode(id).values()])
        const index = createClusterIndex({ nodes: view.nodes(), replicas })
        const schedules = [{ ...scheduling, minReplicas: minReplicasOf?.('m') ?? 0 }]
        const round = (now: number) =>
          planReconcile({
            now,
            view: index,
            replicas: [...index.replicas()],
            schedules,
            needsOf: () => needs,
            revisionOf: () => 'r1',
            groupsOf,
            isDiskChecked: true,
            running: new Map(),
            runningAt: 0,
          })
        const carryOut = (now: number): number => {
          const actions = round(now).filter(({ kind }) => kind !== 'note')
          for (const action of actions) {
            if (action.kind === 'remove') index.removeReplica(action.replica.id)
            if (action.kind !== 'add') continue
            for (const { id } of action.placement.evictions) index.removeReplica(id)
            const { nodeId, replicaIndex } = action.placement
            index.setReplica(aReplica(nodeId, 'm', { id: `${nodeId} new ${replicaIndex}`, replicaIndex, usedAt: now }))
          }
          return actions.length
        }
        const rounds = Array.from({ length: 12 }, (_, count) => carryOut(1000 + count))
        expect(rounds.at(-1)).toBe(0)
      }),
      { numRuns: 200 },
    )
  })
})
