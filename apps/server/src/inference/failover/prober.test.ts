import { createFakeClock } from '@svc/test-kit'
import { expect, it } from 'vitest'
import { createModel } from '../../catalog/__fixtures__/model.ts'
import type { ModelConfig } from '../../catalog/model-config.ts'
import { silentLogger } from '../../db/__fixtures__/places.ts'
import { type ChainEvent, createChains } from './chains.ts'
import type { Probe } from './probe.ts'
import { createProber } from './prober.ts'

const INTERVAL_MS = 15_000

/** A failover group of two models with the given trip settings. */
function chainModel(trip: { readonly errors: number }): ModelConfig {
  const served = ['one', 'two'].map((name) => ({ name, model: createModel({ name }) }))
  const targets = served.map(({ name }) => ({ model: name }))
  return createModel({
    failover: { targets, trip, recovery: { probes: 1, minDwell: '0s' } },
    serving: { kind: 'failover', targets: served },
  })
}

function start(probe: Probe, onEvent: (event: ChainEvent) => void = () => undefined) {
  const clock = createFakeClock()
  const files = new Set(['m'])
  const chains = createChains({
    clock,
    onEvent: (_name, event) => onEvent(event),
    isThere: (name) => files.has(name),
  })
  const prober = createProber({
    chains,
    probe,
    load: async () => undefined,
    clock,
    logger: silentLogger,
  })
  return { clock, chains, prober, files }
}

it('stops probing a group once its file has changed', async () => {
  let looks = 0
  const { clock, chains, prober } = start(async () => {
    looks += 1
    throw new Error('still down')
  })
  const before = chainModel({ errors: 1 })
  const chain = chains.of(before)
  chain.report('one', 'down')
  prober.watch(chain, before)
  await clock.advance(INTERVAL_MS)
  expect(looks).toBe(1)
  chains.of(chainModel({ errors: 2 }))
  await clock.advance(INTERVAL_MS * 4)
  expect([looks, clock.sleepers]).toEqual([1, 0])
  // The outcome of a request from before the change arrives after it.
  prober.watch(chain, before)
  await clock.advance(INTERVAL_MS * 4)
  expect([looks, clock.sleepers]).toEqual([1, 0])
})

it('stops probing and showing a group once its file is gone', async () => {
  let looks = 0
  const { clock, chains, prober, files } = start(async () => {
    looks += 1
    throw new Error('still down')
  })
  const model = chainModel({ errors: 1 })
  const chain = chains.of(model)
  chain.report('one', 'down')
  prober.watch(chain, model)
  await clock.advance(INTERVAL_MS)
  expect([looks, [...chains.known().keys()]]).toEqual([1, ['m']])
  files.clear()
  await clock.advance(INTERVAL_MS * 4)
  expect([looks, clock.sleepers, [...chains.known().keys()]]).toEqual([1, 0, []])
})

it('probes a group although a request from before the change of its file ended late', async () => {
  let looks = 0
  const { clock, chains, prober } = start(async () => {
    looks += 1
    throw new Error('still down')
  })
  const after = chainModel({ errors: 2 })
  chains.of(after)
  chains.of(chainModel({ errors: 1 }))
  for (const _ of [1, 2]) chains.of(after).report('one', 'down')
  prober.watch(chains.of(after), after)
  await clock.advance(INTERVAL_MS)
  expect(looks).toBe(1)
  expect(chains.known().get('m')).toBe(chains.of(after))
})

it.each([1, 2, 3, 4, 5, 6, 7, 8])('looks again at a target that fails %i turns after it came back', async (turns) => {
  let looks = 0
  const model = chainModel({ errors: 1 })
  const { clock, chains, prober } = start(
    async () => {
      looks += 1
    },
    (event) => {
      if (event.type === 'target-state' && event.to === 'up' && looks === 1) void failAgain()
    },
  )
  const failAgain = async (): Promise<void> => {
    for (let turn = 0; turn < turns; turn++) await Promise.resolve()
    chains.of(model).report('one', 'down')
    prober.watch(chains.of(model), model)
  }
  chains.of(model).report('one', 'down')
  prober.watch(chains.of(model), model)
  await clock.advance(INTERVAL_MS)
  expect(looks).toBe(1)
  await clock.advance(INTERVAL_MS * 2)
  expect(looks).toBe(2)
})
