import { describe, expect, it } from 'vitest'
import type { Worker } from '../../lib/workers.ts'
import type { Rules } from './api.ts'
import { readLogLines } from './log-lines.ts'
import { readSelector, toDraft, toForm, usesPrefixes } from './rules-form.ts'
import { readNodesSearch } from './search.ts'
import { isFixedLabel, listResources, selectWorkers } from './worker-figures.ts'

const worker = (more: Partial<Worker> = {}): Worker => ({
  id: '1',
  name: 'box',
  node_type: 'backend',
  address: '127.0.0.1:1',
  http_address: '127.0.0.1:2',
  status: 'healthy',
  total_vram: 24,
  available_vram: 10,
  reserved_vram: 4,
  total_ram: 64,
  available_ram: 40,
  total_disk: 0,
  available_disk: 0,
  gpu_vendor: '',
  gpu_compute_capability: '',
  max_replicas_per_model: 1,
  max_replicas_per_model_manually_set: false,
  vram_budget_manually_set: false,
  last_heartbeat: null,
  created_at: '2026-01-01T00:00:00Z',
  labels: { zone: 'a', 'node.name': 'box' },
  ...more,
})

describe('the figures of a worker', () => {
  it('leave out resources of an unknown size, and keep parts within the whole', () => {
    expect(listResources(worker({ available_ram: 99 }))).toEqual([
      { id: 'vram', total: 24, free: 10, reserved: 4 },
      { id: 'ram', total: 64, free: 64, reserved: 0 },
    ])
    expect(listResources(worker({ reserved_vram: 99, total_ram: 0 }))).toEqual([
      { id: 'vram', total: 24, free: 10, reserved: 10 },
    ])
  })

  it('tell the labels of the server from those of people', () => {
    expect(['node.name', 'gpu.vram', 'zone', 'nodes'].map(isFixedLabel)).toEqual([true, true, false, false])
  })
})

describe('the list of workers', () => {
  const workers = [worker(), worker({ id: '2', name: 'late', status: 'pending', labels: { tier: 'slow' } })]
  const select = (search: Parameters<typeof selectWorkers>[1]) => selectWorkers(workers, search).map(({ id }) => id)

  it('begins with those that wait, and finds names, labels and states', () => {
    expect(select({})).toEqual(['2', '1'])
    expect(select({ q: 'ZONE=a' })).toEqual(['1'])
    expect(select({ q: 'late' })).toEqual(['2'])
    expect(select({ state: 'healthy' })).toEqual(['1'])
    expect(select({ q: 'late', state: 'healthy' })).toEqual([])
  })

  it('reads its search parameters', () => {
    expect(readNodesSearch({ q: 'a', state: 'pending', page: '3' })).toEqual({ q: 'a', state: 'pending', page: 3 })
    expect(readNodesSearch({ q: '', state: 'tired', page: 1 })).toEqual({})
  })
})

describe('the form of rules', () => {
  const rules: Rules = {
    id: 'demo',
    model_name: 'demo',
    node_selector: { zone: 'a', fast: '' },
    min_replicas: 1,
    max_replicas: 3,
    spread_all: false,
    route_policy: 'round_robin',
    balance_abs_threshold: 2,
    balance_rel_threshold: 1.5,
    min_prefix_match: 0.4,
    unsatisfiable_ticks: 0,
  }

  it('keeps rules that are not changed', () => {
    const { id: _, unsatisfiable_ticks: __, ...draft } = rules
    expect(toDraft(toForm(rules))).toEqual(draft)
  })

  it('has no numbers for one replica on each worker', () => {
    expect(toDraft({ ...toForm(rules), spreads: true })).toMatchObject({
      min_replicas: 0,
      max_replicas: 0,
      spread_all: true,
    })
    expect(toDraft({ ...toForm(undefined), model: ' demo ', min: '' })).toMatchObject({
      model_name: 'demo',
      min_replicas: 0,
    })
  })

  it('sets the bounds of prefixes, which count where requests may go by prefixes', () => {
    expect(toDraft({ ...toForm(rules), balanceAbs: '7', balanceRel: '2.5', prefixMatch: '' })).toMatchObject({
      balance_abs_threshold: 7,
      balance_rel_threshold: 2.5,
      min_prefix_match: 0,
    })
    expect(
      (['', 'prefix_cache', 'least_loaded', 'round_robin'] as const).map((policy) => usesPrefixes({ policy })),
    ).toEqual([true, true, false, false])
  })

  it('reads labels between commas, and refuses one without a name', () => {
    expect(readSelector(' zone = a ,, fast, url=x=y')).toEqual({ zone: 'a', fast: '', url: 'x=y' })
    expect(readSelector('')).toEqual({})
    expect(readSelector('zone=a, =b')).toBeUndefined()
    expect(toDraft({ ...toForm(undefined), selector: '=b' })).toBeUndefined()
  })
})

it('reads the lines of a worker in both forms, and passes over what it does not know', () => {
  const line = { timestamp: '2026-01-01T00:00:00Z', stream: 'stdout', text: 'ready' }
  expect(readLogLines([line, { text: 5 }, null])).toEqual([line])
  expect(readLogLines({ lines: [line] })).toEqual([line])
  for (const reply of [null, 'text', {}, { lines: 5 }]) expect(readLogLines(reply)).toEqual([])
})
