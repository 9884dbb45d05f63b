import type { ResourcesReply, WireDeviceMemory } from '@svc/wire/native'
import { json } from '../../../http/json.ts'
import { defineRoute, type Route } from '../../../http/route.ts'
import { clampPercent, createProcessorFigures, readDisk, sizeOfFiles } from '../../../monitoring/host-figures.ts'
import type { DeviceMemory, Memory, MemoryPressure } from '../../../monitoring/memory-pressure.ts'

const wire = () => import('@svc/wire/native')

/** What the row reads. */
export interface ResourceFacts {
  readonly memory: Pick<MemoryPressure, 'devices' | 'main'>
  readonly modelsPath: string
  /** What the watchdog is told at this moment. */
  watchdog(): { readonly reclaims: boolean; readonly threshold: number; readonly interval: string }
}

/** `GET /api/resources`: what the host has for models, and what of it is taken. */
export function resourceRoute({ memory, modelsPath, watchdog }: ResourceFacts): Route {
  const processors = createProcessorFigures()
  return defineRoute({
    method: 'GET',
    path: '/api/resources',
    access: 'admin',
    family: 'compatible',
    tag: 'system',
    summary: 'Memory, processors and disk of the host',
    quiet: true,
    responses: {
      200: { description: 'Readings of this moment, in bytes.', schema: async () => (await wire()).resourcesReply },
    },
    async handler() {
      const [devices, main, disk, storage] = await Promise.all([
        memory.devices(),
        memory.main(),
        readDisk(modelsPath),
        sizeOfFiles(modelsPath),
      ])
      const { logicalCores, usagePercent, load1 } = processors.read()
      const { reclaims, threshold, interval } = watchdog()
      return json({
        type: devices.length > 0 ? 'gpu' : 'ram',
        available: devices.length > 0,
        gpus: devices.map(toWireDevice),
        ...(main === undefined ? {} : { ram: toWireMemory(main) }),
        aggregate: toAggregate(devices, main),
        cpu: {
          logical_cores: logicalCores,
          ...(usagePercent === undefined ? {} : { usage_percent: usagePercent }),
          load_1: load1,
        },
        ...(disk === undefined ? {} : { disk: { ...disk } }),
        storage_size: storage,
        reclaimer_enabled: reclaims,
        reclaimer_threshold: threshold,
        watchdog_interval: interval,
      } satisfies ResourcesReply)
    },
  })
}

function toWireDevice({ name, vendor, bdf, totalBytes, usedBytes }: DeviceMemory, index: number): WireDeviceMemory {
  return {
    index,
    name,
    vendor,
    ...(bdf === undefined ? {} : { bdf }),
    total_vram: totalBytes,
    used_vram: usedBytes,
    free_vram: freeOf({ totalBytes, usedBytes }),
    usage_percent: shareOf({ totalBytes, usedBytes }),
  }
}

function toWireMemory(memory: Memory): NonNullable<ResourcesReply['ram']> {
  const free = freeOf(memory)
  return { total: memory.totalBytes, used: memory.usedBytes, free, available: free, usage_percent: shareOf(memory) }
}

function toAggregate(devices: readonly DeviceMemory[], main: Memory | undefined): ResourcesReply['aggregate'] {
  const parts = devices.length > 0 ? devices : main === undefined ? [] : [main]
  const total = {
    totalBytes: parts.reduce((sum, part) => sum + part.totalBytes, 0),
    usedBytes: parts.reduce((sum, part) => sum + part.usedBytes, 0),
  }
  return {
    total_memory: total.totalBytes,
    used_memory: total.usedBytes,
    free_memory: freeOf(total),
    usage_percent: shareOf(total),
    gpu_count: devices.length,
  }
}

function freeOf({ totalBytes, usedBytes }: Memory): number {
  return Math.max(0, totalBytes - usedBytes)
}

function shareOf({ totalBytes, usedBytes }: Memory): number {
  return totalBytes > 0 ? clampPercent((usedBytes / totalBytes) * 100) : 0
}
