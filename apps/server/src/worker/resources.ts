import { detectCapability } from '../backends/capability.ts'
import { readDisk } from '../monitoring/host-figures.ts'
import { createMemoryPressure, type MemoryPressure } from '../monitoring/memory-pressure.ts'
import type { Clock } from '../ports.ts'
import { readComputeCapability } from './compute-capability.ts'
import type { WorkerConfig } from './worker-config.ts'

/** What a worker tells of its machine: bytes, under the names of the wire. */
export interface WorkerResources {
  /** Everything, as a registration carries it. */
  readAll(): Promise<Readonly<Record<string, number | string>>>
  /** What changes, as a heartbeat carries it. Memory of devices is only there where the machine has such. */
  readChanging(): Promise<Readonly<Record<string, number | string>>>
}

/** @param options.modelsPath the file system of the models */
export function createWorkerResources(options: {
  readonly modelsPath: string
  readonly capability: string
  readonly clock: Clock
  readonly memory?: Pick<MemoryPressure, 'devices' | 'main'> | undefined
  readonly computeCapability?: (() => Promise<string>) | undefined
}): WorkerResources {
  const readCapability = options.computeCapability ?? readComputeCapability
  const memory = options.memory ?? createMemoryPressure({ clock: options.clock })

  async function read() {
    const [devices, main, disk] = await Promise.all([memory.devices(), memory.main(), readDisk(options.modelsPath)])
    const total = devices.reduce((sum, { totalBytes }) => sum + totalBytes, 0)
    const used = devices.reduce((sum, { usedBytes }) => sum + usedBytes, 0)
    return {
      vram: {
        total_vram: Math.floor(total),
        available_vram: Math.max(0, Math.floor(total - used)),
        gpu_vendor: devices[0]?.vendor ?? '',
      },
      total_ram: Math.floor(main?.totalBytes ?? 0),
      available_ram: Math.max(0, Math.floor((main?.totalBytes ?? 0) - (main?.usedBytes ?? 0))),
      disk: { total_disk: disk?.total ?? 0, available_disk: disk?.available ?? 0 },
    }
  }
  return {
    async readAll() {
      const { vram, disk, ...ram } = await read()
      // A device that shares main memory tells its capability and no memory.
      const [capability, computeCapability] = await Promise.all([
        detectCapability({ forced: options.capability }),
        readCapability(),
      ])
      return { ...ram, ...disk, ...vram, gpu_compute_capability: computeCapability, capability }
    },
    async readChanging() {
      const { vram, disk, available_ram } = await read()
      return { available_ram, ...disk, ...(vram.total_vram > 0 ? vram : {}) }
    },
  }
}

/** The body of a registration. The token stands in it beside the header, as older front ends want it. */
export async function toRegistration(
  config: WorkerConfig,
  resources: WorkerResources,
): Promise<Readonly<Record<string, unknown>>> {
  return {
    name: config.name,
    node_type: 'backend',
    address: config.address,
    http_address: config.httpAddress,
    token: config.token,
    ...(await resources.readAll()),
    labels: { ...config.labels, 'node.replica-slots': String(config.maxReplicas) },
    max_replicas_per_model: config.maxReplicas,
    vram_budget: config.vramBudget,
  }
}
