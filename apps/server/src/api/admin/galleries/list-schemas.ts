import * as z from 'zod'
import { gallerySchema } from '../../../galleries/gallery.ts'
import { jobReply, started } from './schemas.ts'

const texts = z.array(z.string())

/** Reply of `GET /models/jobs`. */
export const modelJobs = z.record(z.string(), jobReply)

const memory = { vramBytes: z.number(), vramDisplay: z.string() }
const size = { sizeBytes: z.number().optional(), sizeDisplay: z.string().optional() }

/** Reply of `GET /api/models/estimate/:id`. */
export const estimatesReply = z.object({
  ...size,
  model_max_context: z.number().optional(),
  estimates: z
    .record(z.string(), z.object(memory))
    .describe('By the size of the context; empty where it is not known.'),
})

/** Reply of `POST /api/models/vram-estimate`; empty where the files do not tell. */
export const estimateReply = z.object({
  ...size,
  vramBytes: memory.vramBytes.optional(),
  vramDisplay: memory.vramDisplay.optional(),
  model_max_context: z.number().optional(),
})

/** Reply of `GET /backends`. */
export const installedBackends = z.array(
  z.object({
    Name: z.string(),
    RunFile: z.string().describe('Empty where it cannot be started.'),
    IsMeta: z.boolean(),
    IsSystem: z.boolean().describe('It belongs to the system and is not removed.'),
    Metadata: z.object({
      name: z.string().optional(),
      alias: z.string().optional(),
      meta_backend_for: z.string().optional(),
      gallery_url: z.string().optional(),
      installed_at: z.string().optional(),
      version: z.string().optional(),
      uri: z.string().optional(),
      digest: z.string().optional(),
    }),
    upgrade_available: z.boolean().optional(),
    available_version: z.string().optional(),
  }),
)

/** Reply of `GET /backends/available`. */
export const availableBackends = z.array(
  z.object({
    name: z.string(),
    description: z.string(),
    license: z.string(),
    urls: texts,
    icon: z.string(),
    tags: texts,
    alias: z.string(),
    uri: z.string(),
    version: z.string(),
    mirrors: texts,
    capabilities: z.record(z.string(), z.string()),
    gallery: gallerySchema,
    installed: z.boolean(),
  }),
)

/** Reply of `GET /backends/known`. */
export const knownBackends = z.array(
  z.object({
    name: z.string(),
    modality: z.enum(['text', 'other']),
    auto_detect: z.boolean(),
    description: z.string().optional(),
    installed: z.boolean(),
  }),
)

/** Reply of the routes of upgrades, by the names of the backends. */
export const upgradesByBackend = z.record(
  z.string(),
  z.object({
    backend_name: z.string(),
    installed_version: z.string(),
    available_version: z.string(),
    installed_digest: z.string().optional(),
    available_digest: z.string().optional(),
  }),
)

/** Reply of `POST /api/backends/system/delete/:name`. */
export const deletionStarted = started.extend({ success: z.literal(true) })
