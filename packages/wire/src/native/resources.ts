import * as z from 'zod'

const bytes = z.number().min(0)
const percent = z.number().min(0).max(100)

/** The memory of one graphics device, in bytes. */
export const deviceMemory = z.looseObject({
  index: z.int().min(0),
  name: z.string(),
  vendor: z.string(),
  /** Address on the bus. */
  bdf: z.string().exactOptional(),
  total_vram: bytes,
  used_vram: bytes,
  free_vram: bytes,
  usage_percent: percent,
})

/** Reply of `GET /api/resources`: the host's resources and their use. All sizes are bytes. */
export const resourcesReply = z.looseObject({
  /** Memory that holds the models. */
  type: z.enum(['gpu', 'ram']),
  /** Whether a graphics device with known memory is there. */
  available: z.boolean(),
  gpus: z.array(deviceMemory),
  /** Main memory, limited by the container's; absent where it cannot be read. */
  ram: z
    .looseObject({ total: bytes, used: bytes, free: bytes, available: bytes, usage_percent: percent })
    .exactOptional(),
  /** Graphics memory of all devices together where there is any, else main memory. */
  aggregate: z.looseObject({
    total_memory: bytes,
    used_memory: bytes,
    free_memory: bytes,
    usage_percent: percent,
    gpu_count: z.int().min(0),
  }),
  /** The host's processors; the share since the previous call, absent on the first one. */
  cpu: z.looseObject({
    logical_cores: z.int().min(1),
    usage_percent: percent.exactOptional(),
    /** Average number of runnable processes over the last minute. */
    load_1: z.number().min(0),
  }),
  /** The file system that holds the models folder; absent where it cannot be read. */
  disk: z.looseObject({ total: bytes, used: bytes, available: bytes }).exactOptional(),
  /** Bytes of the files at the top of the models folder. */
  storage_size: bytes,
  /** Reason why models cannot be installed or changed, and a remedy; absent where the server may write the folder. */
  models_folder_problem: z.looseObject({ folder: z.string(), reason: z.string(), remedy: z.string() }).exactOptional(),
  reclaimer_enabled: z.boolean(),
  reclaimer_threshold: z.number(),
  watchdog_interval: z.string(),
})

/** The memory of one graphics device. */
export type WireDeviceMemory = z.infer<typeof deviceMemory>
/** Reply of `GET /api/resources`. */
export type ResourcesReply = z.infer<typeof resourcesReply>
