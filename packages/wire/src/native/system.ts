import * as z from 'zod'

/** The local process of a loaded model (§2.8). */
export const modelProcess = z.looseObject({
  pid: z.int().min(1),
  /** Resident host memory; weights offloaded to a GPU excluded. */
  rss_bytes: z.int().min(0),
  /** Resident memory as percent of the host's. */
  memory_percent: z.number().min(0),
  /** Percent of the whole host's processors since the previous call; absent on the first that sees the process. */
  cpu_percent: z.number().min(0).max(100).exactOptional(),
  started_at: z.iso.datetime({ offset: true }),
})

/** A loaded model (§2.8). */
export const loadedModel = z.looseObject({
  id: z.string(),
  backend: z.string().exactOptional(),
  process: modelProcess.exactOptional(),
  /** Bytes of device memory by the driver's accounting; absent means unknown, 0 means none. */
  size_vram: z.int().min(0).exactOptional(),
})

/** Reply of `GET /system`. */
export const systemReply = z.looseObject({
  backends: z.array(z.string()),
  loaded_models: z.array(loadedModel),
})

/** Reply of `GET /version`. */
export const versionReply = z.looseObject({ version: z.string() })

/** The local process of a loaded model. */
export type ModelProcess = z.infer<typeof modelProcess>
/** A loaded model. */
export type LoadedModel = z.infer<typeof loadedModel>
/** Reply of `GET /system`. */
export type SystemReply = z.infer<typeof systemReply>
/** Reply of `GET /version`. */
export type VersionReply = z.infer<typeof versionReply>
