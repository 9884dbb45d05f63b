import { expect, it } from 'vitest'
import type { LoadedModel } from '../../lib/server-state.ts'
import { listGauges, readCpu, readVram } from './figures.ts'
import { SampleHistory, SLOT_MS, SLOTS } from './sample-history.ts'

it('keeps five minutes of samples in their places', () => {
  const history = new SampleHistory()
  for (let sample = 0; sample < 400; sample += 1) history.add('cpu', sample * SLOT_MS, sample)
  const values = history.read('cpu', 399 * SLOT_MS)
  expect(values).toHaveLength(SLOTS)
  expect(values.at(-1)).toBe(399)
  expect(values[0]).toBe(250)
})

it('leaves a gap where the page was away, and closes one of a single late sample', () => {
  const history = new SampleHistory()
  for (const slot of [0, 1, 3, 9]) history.add('cpu', slot * SLOT_MS, slot)
  expect(history.read('cpu', 9 * SLOT_MS).slice(-10)).toEqual([
    0,
    1,
    1,
    3,
    undefined,
    undefined,
    undefined,
    undefined,
    undefined,
    9,
  ])
})

it('takes neither unknown figures nor the same reading twice', () => {
  const history = new SampleHistory()
  history.add('cpu', 0, undefined)
  history.add('cpu', SLOT_MS, 5)
  history.add('cpu', SLOT_MS, 6)
  expect(history.read('cpu', SLOT_MS).filter((value) => value !== undefined)).toEqual([5])
  expect(history.read('ram', SLOT_MS).every((value) => value === undefined)).toBe(true)
})

const process = { pid: 1, rss_bytes: 2, memory_percent: 3, started_at: '2026-01-01T00:00:00Z' }
const model = (fields: Partial<LoadedModel>): LoadedModel => ({ id: 'm', ...fields })

it('tells a first sample from a process that cannot be read', () => {
  expect(readCpu(model({ process }))).toBe('measuring')
  expect(readCpu(model({ process: { ...process, cpu_percent: 0 } }))).toBe(0)
  expect(readCpu(model({}))).toBe('unknown')
})

it('tells no device memory from an unknown amount', () => {
  expect(readVram(model({ size_vram: 0 }))).toBe(0)
  expect(readVram(model({}))).toBe('unknown')
})

it('lists a gauge for each device, and unknown ones without a figure', () => {
  const gauges = listGauges({
    type: 'gpu',
    available: true,
    gpus: [{ index: 0, name: 'G', vendor: 'v', total_vram: 8, used_vram: 2, free_vram: 6, usage_percent: 25 }],
    aggregate: { total_memory: 8, used_memory: 2, free_memory: 6, usage_percent: 25, gpu_count: 1 },
    cpu: { logical_cores: 2, load_1: 0 },
    disk: { total: 200, used: 50, available: 150 },
    storage_size: 0,
    reclaimer_enabled: false,
    reclaimer_threshold: 0.95,
    watchdog_interval: '1s',
  })
  expect(gauges.map(({ id, percent, hasHistory }) => [id, percent, hasHistory])).toEqual([
    ['cpu', undefined, true],
    ['ram', undefined, false],
    ['disk', 25, true],
    ['gpu-0', 25, true],
  ])
})
