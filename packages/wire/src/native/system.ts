import * as z from 'zod'
import { resourcesReply } from './resources.ts'

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
  /** Bytes of device memory by the driver's accounting; absent means unknown, 0 means no device memory. */
  size_vram: z.int().min(0).exactOptional(),
  /** With `include=states`: 1 busy, 2 ready, 0 not loaded yet, -1 for a backend that does not report its state. */
  state: z.union([z.literal(-1), z.literal(0), z.literal(1), z.literal(2)]).exactOptional(),
})

/** The last load of a model, where it failed. */
export const loadFailure = z.looseObject({ model: z.string(), error: z.string(), at: z.iso.datetime() })

/** A mistake in a file of the models folder. */
export const modelProblem = z.looseObject({
  file: z.string(),
  /** From 1; absent where the whole file is at fault. */
  line: z.int().min(1).exactOptional(),
  /** The key, as a path. */
  key: z.string().exactOptional(),
  reason: z.string(),
  /** The name that `/models/edit/{name}` knows the file by; absent for files that it cannot change. */
  model: z.string().exactOptional(),
})

/** Reply of `GET /system`. */
export const systemReply = z.looseObject({
  backends: z.array(z.string()),
  loaded_models: z.array(loadedModel),
  /** With `include=resources`. */
  resources: resourcesReply.exactOptional(),
  /** With `include=problems`. */
  load_failures: z.array(loadFailure).exactOptional(),
  model_problems: z.array(modelProblem).exactOptional(),
})

/** Reply of `GET /version`. */
export const versionReply = z.looseObject({ version: z.string() })

/** The local process of a loaded model. */
export type ModelProcess = z.infer<typeof modelProcess>
/** A loaded model. */
export type LoadedModel = z.infer<typeof loadedModel>
/** The last load of a model, where it failed. */
export type LoadFailure = z.infer<typeof loadFailure>
/** A mistake in a file of the models folder. */
export type ModelProblem = z.infer<typeof modelProblem>
/** Reply of `GET /system`. */
export type SystemReply = z.infer<typeof systemReply>
/** Reply of `GET /version`. */
export type VersionReply = z.infer<typeof versionReply>
