import type { ResourcesReply, WireDeviceMemory } from '@svc/wire/native'
import { findFolderProblem } from '../../../files/folder-access.ts'
import { json } from '../../../http/json.ts'
import { defineRoute, type Route } from '../../../http/route.ts'
import { clampPercent, createProcessorFigures, measureFiles, readDisk } from '../../../monitoring/host-figures.ts'
import type { DeviceMemory, Memory, MemoryPressure } from '../../../monitoring/memory-pressure.ts'

const wire = () => import('@svc/wire/native')

/** Options of {@link createResourceReader}. */
export interface ResourceFacts {
  readonly memory: Pick<MemoryPressure, 'devices' | 'main'>
  readonly modelsPath: string
  /** Gives the current settings of the watchdog. */
  watchdog(): { readonly reclaims: boolean; readonly threshold: number; readonly interval: string }
}

/** Reads the resources of the host. The use of processors is that since the last call. */
export type ResourceReader = () => Promise<ResourcesReply>

/** `GET /api/resources`: resources of the host and their use. */
export function resourceRoute(read: ResourceReader): Route {
  return defineRoute({
    method: 'GET',
    path: '/api/resources',
    access: 'admin',
    family: 'compatible',
    tag: 'system',
    summary: 'Memory, processors and disk of the host',
    quiet: true,
    revalidated: true,
    responses: {
      200: { description: 'Readings of this moment, in bytes.', schema: async () => (await wire()).resourcesReply },
    },
    handler: async () => json(await read()),
  })
}

/** Creates the reader. */
export function createResourceReader({ memory, modelsPath, watchdog }: ResourceFacts): ResourceReader {
  const processors = createProcessorFigures()
  return async () => {
    const [devices, main, disk, storage, problem] = await Promise.all([
      memory.devices(),
      memory.main(),
      readDisk(modelsPath),
      measureFiles(modelsPath),
      findFolderProblem(modelsPath),
    ])
    const { logicalCores, usagePercent, load1 } = processors.read()
    const { reclaims, threshold, interval } = watchdog()
    return {
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
      ...(problem === undefined ? {} : { models_folder_problem: { folder: modelsPath, ...problem } }),
      reclaimer_enabled: reclaims,
      reclaimer_threshold: threshold,
      watchdog_interval: interval,
    }
  }
}

function toWireDevice({ name, vendor, bdf, totalBytes, usedBytes }: DeviceMemory, index: number): WireDeviceMemory {
  return {
    index,
    name,
    vendor,
    ...(bdf === undefined ? {} : { bdf }),
    total_vram: totalBytes,
    used_vram: usedBytes,
    free_vram: toFree({ totalBytes, usedBytes }),
    usage_percent: toShare({ totalBytes, usedBytes }),
  }
}

function toWireMemory(memory: Memory): NonNullable<ResourcesReply['ram']> {
  const free = toFree(memory)
  return { total: memory.totalBytes, used: memory.usedBytes, free, available: free, usage_percent: toShare(memory) }
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
    free_memory: toFree(total),
    usage_percent: toShare(total),
    gpu_count: devices.length,
  }
}

function toFree({ totalBytes, usedBytes }: Memory): number {
  return Math.max(0, totalBytes - usedBytes)
}

function toShare({ totalBytes, usedBytes }: Memory): number {
  return totalBytes > 0 ? clampPercent((usedBytes / totalBytes) * 100) : 0
}
