import { createFakeClock } from '@svc/test-kit'
import { expect, it } from 'vitest'
import type { FailoverGroupEvent } from '../../../bus/subjects.ts'
import { createModel } from '../../../catalog/__fixtures__/model.ts'
import type { ModelConfig } from '../../../catalog/model-config.ts'
import { silentLogger } from '../../../db/__fixtures__/places.ts'
import { createFailoverGroups } from './groups.ts'
import type { Probe } from './probe.ts'
import { createProber } from './prober.ts'

const INTERVAL_MS = 15_000

/** A failover group of two models with the given trip settings. */
function createGroupModel(trip: { readonly errors: number }): ModelConfig {
  const served = ['one', 'two'].map((name) => ({ name, model: createModel({ name }) }))
  const targets = served.map(({ name }) => ({ model: name }))
  return createModel({
    failover: { targets, trip, recovery: { probes: 1, minDwell: '0s' } },
    serving: { kind: 'failover', targets: served },
  })
}

function start(probe: Probe, onEvent: (event: FailoverGroupEvent) => void = () => undefined) {
  const clock = createFakeClock()
  const files = new Set(['m'])
  const groups = createFailoverGroups({
    clock,
    onEvent: (_name, event) => onEvent(event),
    exists: (name) => files.has(name),
  })
  const prober = createProber({
    groups,
    probe,
    load: async () => undefined,
    clock,
    logger: silentLogger,
  })
  return { clock, groups, prober, files }
}

it('stops probing a group once its file has changed', async () => {
  let looks = 0
  const { clock, groups, prober } = start(async () => {
    looks += 1
    throw new Error('still down')
  })
  const before = createGroupModel({ errors: 1 })
  const group = groups.get(before)
  group.report('one', 'down')
  prober.watch(group, before)
  await clock.advance(INTERVAL_MS)
  expect(looks).toBe(1)
  groups.get(createGroupModel({ errors: 2 }))
  await clock.advance(INTERVAL_MS * 4)
  expect([looks, clock.sleepers]).toEqual([1, 0])
  // The outcome of a request from before the change arrives after it.
  prober.watch(group, before)
  await clock.advance(INTERVAL_MS * 4)
  expect([looks, clock.sleepers]).toEqual([1, 0])
})

it('stops probing and showing a group once its file is gone', async () => {
  let looks = 0
  const { clock, groups, prober, files } = start(async () => {
    looks += 1
    throw new Error('still down')
  })
  const model = createGroupModel({ errors: 1 })
  const group = groups.get(model)
  group.report('one', 'down')
  prober.watch(group, model)
  await clock.advance(INTERVAL_MS)
  expect([looks, [...groups.known().keys()]]).toEqual([1, ['m']])
  files.clear()
  await clock.advance(INTERVAL_MS * 4)
  expect([looks, clock.sleepers, [...groups.known().keys()]]).toEqual([1, 0, []])
})

it('probes a group although a request from before the change of its file ended late', async () => {
  let looks = 0
  const { clock, groups, prober } = start(async () => {
    looks += 1
    throw new Error('still down')
  })
  const after = createGroupModel({ errors: 2 })
  groups.get(after)
  groups.get(createGroupModel({ errors: 1 }))
  for (const _ of [1, 2]) groups.get(after).report('one', 'down')
  prober.watch(groups.get(after), after)
  await clock.advance(INTERVAL_MS)
  expect(looks).toBe(1)
  expect(groups.known().get('m')).toBe(groups.get(after))
})

it.each([1, 2, 3, 4, 5, 6, 7, 8])('looks again at a target that fails %i turns after it came back', async (turns) => {
  let looks = 0
  const model = createGroupModel({ errors: 1 })
  const { clock, groups, prober } = start(
    async () => {
      looks += 1
    },
    (event) => {
      if (event.type === 'target-state' && event.to === 'up' && looks === 1) void failAgain()
    },
  )
  const failAgain = async (): Promise<void> => {
    for (let turn = 0; turn < turns; turn++) await Promise.resolve()
    groups.get(model).report('one', 'down')
    prober.watch(groups.get(model), model)
  }
  groups.get(model).report('one', 'down')
  prober.watch(groups.get(model), model)
  await clock.advance(INTERVAL_MS)
  expect(looks).toBe(1)
  await clock.advance(INTERVAL_MS * 2)
  expect(looks).toBe(2)
})
