import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { resourcesReply } from '@svc/wire/native'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { DeviceMemory } from '../../../monitoring/memory-pressure.ts'
import { createResourceReader, resourceRoute } from './resources.ts'

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-resources-'))
  await writeFile(join(folder, 'a.gguf'), Buffer.alloc(1000))
  await writeFile(join(folder, 'b.yaml'), Buffer.alloc(24))
})
afterAll(() => rm(folder, { recursive: true }))

async function read(devices: readonly DeviceMemory[], modelsPath = folder) {
  const reader = createResourceReader({
    memory: { devices: async () => devices, main: async () => ({ totalBytes: 4000, usedBytes: 1000 }) },
    modelsPath,
    watchdog: () => ({ reclaims: true, threshold: 0.9, interval: '500ms' }),
  })
  const { body } = await resourceRoute(reader).handler({} as never)
  return resourcesReply.parse(JSON.parse(Buffer.from(body).toString()))
}

describe('GET /api/resources', () => {
  it("shows main memory, processors, disk and the watchdog's settings", async () => {
    const reply = await read([])
    expect(reply).toMatchObject({
      type: 'ram',
      available: false,
      gpus: [],
      ram: { total: 4000, used: 1000, free: 3000, available: 3000, usage_percent: 25 },
      aggregate: { total_memory: 4000, used_memory: 1000, free_memory: 3000, usage_percent: 25, gpu_count: 0 },
      storage_size: 1024,
      reclaimer_enabled: true,
      reclaimer_threshold: 0.9,
      watchdog_interval: '500ms',
    })
    expect(reply.cpu.logical_cores).toBeGreaterThan(0)
    expect(reply.disk?.total).toBeGreaterThan(0)
  })

  it('adds up the graphics devices, and shows main memory beside them', async () => {
    const reply = await read([
      { vendor: 'nvidia', name: 'Card', bdf: '0000:01:00.0', totalBytes: 100, usedBytes: 50 },
      { vendor: 'amd', name: 'card1', totalBytes: 100, usedBytes: 0 },
    ])
    expect(reply).toMatchObject({
      type: 'gpu',
      gpus: [
        { index: 0, name: 'Card', vendor: 'nvidia', bdf: '0000:01:00.0', total_vram: 100, usage_percent: 50 },
        { index: 1, name: 'card1', vendor: 'amd', free_vram: 100 },
      ],
      ram: { total: 4000 },
      aggregate: { total_memory: 200, used_memory: 50, usage_percent: 25, gpu_count: 2 },
    })
  })

  it('leaves out figures that cannot be read', async () => {
    const reply = await read([], join(folder, 'absent'))
    expect(reply.disk).toBeUndefined()
    expect(reply.storage_size).toBe(0)
  })
})
