import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  type EvictionPlan,
  type EvictionPolicy,
  type PlannedModel,
  planEviction,
  type WaitingLoad,
} from './eviction-plan.ts'

const policy: EvictionPolicy = {
  maxActive: 0,
  forceWhenBusy: false,
  largestFirst: false,
  patienceMs: 1000,
  retryIntervalMs: 100,
}

function loadedModel(name: string, changes: Partial<PlannedModel> = {}): PlannedModel {
  const facts = { isPinned: false, isBusy: false, isLeaving: false, isReplaced: false, usedAt: 0, sizeBytes: 0 }
  return { name, groups: [], ...facts, ...changes }
}

interface Situation {
  readonly groups?: readonly string[]
  readonly loadedModels?: readonly PlannedModel[]
  readonly admitted?: readonly WaitingLoad[]
  readonly policy?: Partial<EvictionPolicy>
}

function plan(situation: Situation): EvictionPlan {
  return planEviction({
    waitingLoad: { name: 'new', groups: situation.groups ?? [] },
    loadedModels: situation.loadedModels ?? [],
    admitted: situation.admitted ?? [],
    policy: { ...policy, ...situation.policy },
  })
}

function evicted(situation: Situation): readonly string[] | string {
  const made = plan(situation)
  return made.isPossible ? made.evict.map(({ name }) => name) : `${made.reason}${made.isPinned ? ', pinned' : ''}`
}

const three = [loadedModel('a', { usedAt: 2 }), loadedModel('b', { usedAt: 1 }), loadedModel('c', { usedAt: 3 })]

describe('the limit', () => {
  it.each<[string, Situation, readonly string[] | string]>([
    ['0 is none', { loadedModels: three }, []],
    ['no model leaves while there is a place', { loadedModels: three, policy: { maxActive: 4 } }, []],
    ['the least recently used leaves', { loadedModels: three, policy: { maxActive: 3 } }, ['b']],
    ['as many leave as are too many', { loadedModels: three, policy: { maxActive: 1 } }, ['b', 'a', 'c']],
    [
      'loads under way count',
      { loadedModels: three, admitted: [{ name: 'x', groups: [] }], policy: { maxActive: 3 } },
      ['b', 'a'],
    ],
    ['loads under way are not evicted', { admitted: [{ name: 'x', groups: [] }], policy: { maxActive: 1 } }, 'limit'],
    [
      'a model that leaves for another load does not count beside it',
      {
        loadedModels: [loadedModel('a', { isLeaving: true, isReplaced: true }), ...three.slice(1)],
        admitted: [{ name: 'x', groups: [] }],
        policy: { maxActive: 3 },
      },
      ['b'],
    ],
    [
      'busy ones are skipped',
      { loadedModels: [loadedModel('a', { isBusy: true }), loadedModel('b', { usedAt: 9 })], policy: { maxActive: 2 } },
      ['b'],
    ],
    [
      'busy ones are waited for',
      { loadedModels: [loadedModel('a', { isBusy: true })], policy: { maxActive: 1 } },
      'limit',
    ],
    [
      'busy ones leave by force, after idle ones',
      {
        loadedModels: [loadedModel('a', { isBusy: true }), loadedModel('b', { usedAt: 9 })],
        policy: { maxActive: 1, forceWhenBusy: true },
      },
      ['b', 'a'],
    ],
    [
      'pinned ones stay, by force too',
      {
        loadedModels: [loadedModel('a', { isPinned: true, isBusy: true }), loadedModel('b', { usedAt: 9 })],
        policy: { maxActive: 2, forceWhenBusy: true },
      },
      ['b'],
    ],
    [
      'pinned ones that fill it are not waited for',
      { loadedModels: [loadedModel('a', { isPinned: true })], policy: { maxActive: 1 } },
      'limit, pinned',
    ],
    [
      'a pinned one beside a busy one is',
      {
        loadedModels: [loadedModel('a', { isPinned: true }), loadedModel('b', { isBusy: true })],
        policy: { maxActive: 2 },
      },
      'limit',
    ],
    [
      'one that is about to be gone is waited for rather than evicting another',
      { loadedModels: [loadedModel('a', { isLeaving: true }), loadedModel('b')], policy: { maxActive: 2 } },
      'limit',
    ],
    [
      'one that leaves after its last call is not',
      {
        loadedModels: [loadedModel('a', { isLeaving: true, isBusy: true }), loadedModel('b')],
        policy: { maxActive: 2 },
      },
      ['b'],
    ],
    [
      'the largest leaves where that is asked for, then the least recently used',
      {
        loadedModels: [
          loadedModel('a', { usedAt: 1, sizeBytes: 10 }),
          loadedModel('b', { usedAt: 3, sizeBytes: 20 }),
          loadedModel('c', { usedAt: 2, sizeBytes: 20 }),
        ],
        policy: { maxActive: 2, largestFirst: true },
      },
      ['c', 'b'],
    ],
  ])('%s', (_name, situation, expected) => {
    expect(evicted(situation)).toEqual(expected)
  })
})

describe('concurrency groups', () => {
  const gpu = ['gpu']

  it.each<[string, Situation, readonly string[] | string]>([
    [
      'all models that share one leave',
      {
        groups: ['x', 'gpu'],
        loadedModels: [loadedModel('a', { groups: gpu }), loadedModel('b'), loadedModel('c', { groups: gpu })],
      },
      ['a', 'c'],
    ],
    [
      'their places count before others leave',
      {
        groups: gpu,
        loadedModels: [loadedModel('a', { groups: gpu, usedAt: 9 }), loadedModel('b')],
        policy: { maxActive: 2 },
      },
      ['a'],
    ],
    [
      'a busy one is waited for',
      { groups: gpu, loadedModels: [loadedModel('a', { groups: gpu, isBusy: true })] },
      'group',
    ],
    [
      'a busy one leaves by force',
      { groups: gpu, loadedModels: [loadedModel('a', { groups: gpu, isBusy: true })], policy: { forceWhenBusy: true } },
      ['a'],
    ],
    [
      'one on its way out is waited for',
      { groups: gpu, loadedModels: [loadedModel('a', { groups: gpu, isLeaving: true })] },
      'group',
    ],
    ['one on its way in is waited for', { groups: gpu, admitted: [{ name: 'a', groups: gpu }] }, 'group'],
    [
      'a pinned one stays',
      { groups: gpu, loadedModels: [loadedModel('a', { groups: gpu, isPinned: true })] },
      'group, pinned',
    ],
    [
      'an earlier version of itself excludes nothing',
      { groups: gpu, loadedModels: [loadedModel('new', { groups: gpu, isLeaving: true, isBusy: true })] },
      [],
    ],
  ])('%s', (_name, situation, expected) => {
    expect(evicted(situation)).toEqual(expected)
  })
})

it('never evicts the pinned, the leaving or, without force, the busy, and never leaves too many', () => {
  const names = ['a', 'b', 'c', 'd', 'e']
  const groups = fc.subarray(['g', 'h'])
  const loadedModels = fc.tuple(
    ...names.map((name) =>
      fc.record({
        name: fc.constant(name),
        groups,
        isPinned: fc.boolean(),
        isBusy: fc.boolean(),
        isLeaving: fc.boolean(),
        isReplaced: fc.constant(false),
        usedAt: fc.nat(9),
        sizeBytes: fc.nat(9),
      }),
    ),
  )
  const limits = fc.record({ maxActive: fc.nat(6), forceWhenBusy: fc.boolean(), largestFirst: fc.boolean() })
  fc.assert(
    fc.property(loadedModels, groups, limits, (all, own, limit) => {
      const made = plan({ groups: own, loadedModels: all, policy: limit })
      if (!made.isPossible) return
      for (const one of made.evict) {
        expect(one.isPinned || one.isLeaving || (one.isBusy && !limit.forceWhenBusy)).toBe(false)
      }
      const staying = all.filter((one) => !made.evict.includes(one))
      expect(staying.some((one) => one.groups.some((group) => own.includes(group)))).toBe(false)
      if (limit.maxActive > 0) expect(staying.length + 1).toBeLessThanOrEqual(limit.maxActive)
    }),
  )
})
