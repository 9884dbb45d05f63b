import { compatibleError } from '@svc/wire/openai'
import * as z from 'zod'
import { gallerySchema } from '../../../galleries/gallery.ts'

const text = (about: string) => z.string().optional().describe(about)
const fields = z.record(z.string(), z.unknown())
const texts = z.array(z.string())

/** Query of `GET /api/models`. */
export const modelListQuery = z.object({
  term: text('Words in the name, the description, the tags or the name of the gallery.'),
  tag: text('A tag that the model has.'),
  backend: text('The backend of the model.'),
  capability: text('A usecase or tag of the model.'),
  collapse_variants: text('`true` leaves out models that are a variant of another one.'),
  fits: text('`true` leaves out models that are known not to fit this machine.'),
  sort: text('`name`, `repository`, `license` or `status`.'),
  order: text('`asc` or `desc`.'),
  page: text('Counted from 1.'),
  items: text('Models of a page, 9 when it is left out.'),
})

const problems = {
  error: z.string().optional().describe('Why the gallery cannot be read; its last good copy may be in use.'),
  warnings: z.array(z.string()).optional().describe('Faults of single entries.'),
}
const repository = z.object({ name: z.string(), url: z.string(), ...problems })
const entryFile = z.object({ filename: z.string(), uri: z.string(), sha256: z.string() })
const taskType = z.enum(['Installation', 'Deletion', 'Waiting'])
const taskTypes = z.record(z.string(), taskType)
const pages = { currentPage: z.int(), totalPages: z.int(), prevPage: z.int(), nextPage: z.int() }
const rowHead = {
  id: z.string().describe('`gallery@name`'),
  name: z.string(),
  description: z.string(),
  icon: z.string(),
  license: z.string(),
  urls: texts,
  tags: texts,
  gallery: z.string(),
  installed: z.boolean(),
  processing: z.boolean(),
  jobID: z.string().describe('The operation on it; empty for none.'),
  isDeletion: z.boolean(),
}

/** The kind of an operation in the lists of pages. */
export type TaskType = z.output<typeof taskType>

/** A page of models of galleries. */
export const modelPage = z.object({
  models: z.array(
    z.object({
      ...rowHead,
      trustRemoteCode: z.boolean(),
      additionalFiles: z.array(entryFile),
      backend: z.string(),
      voice_cloning: z.boolean(),
      has_variants: z.boolean(),
      size: z.string().describe('As the gallery writes it; empty where it does not.'),
      size_bytes: z.int().optional().describe('Bytes of the weights, where the gallery or the origin tells them.'),
      size_display: z.string().optional(),
      memory_bytes: z.int().optional().describe('Estimated memory with a context of 8192 tokens.'),
      memory_display: z.string().optional(),
      fits: z.boolean().optional().describe('Whether this machine can run it; left out while its size is not known.'),
    }),
  ),
  repositories: z.array(repository),
  allTags: texts,
  allBackends: texts,
  processingModels: z.record(z.string(), z.string()),
  taskTypes,
  availableModels: z.int(),
  installedModels: z.int(),
  ramTotal: z.number(),
  ramUsed: z.number(),
  ramUsagePercent: z.number(),
  ...pages,
})

/** Query of `POST /api/models/install/:id`. */
export const installQuery = z.object({ variant: text('Name of the entry to take instead.') })

/** Reply of the routes of pages that start an operation. */
export const started = z.object({ jobID: z.string(), message: z.string() })

/** Reply of `POST /api/models/config/:id`. */
export const saved = z.object({ message: z.string() })

/** Reply of `GET /api/models/variants/:id`. */
export const variantsReply = z.object({
  variants: z.array(
    z.object({
      model: z.string(),
      backend: z.string(),
      is_base: z.boolean(),
      memory_bytes: z.int().optional(),
      fits: z.boolean().optional().describe('Whether this machine can run it; left out while its size is not known.'),
    }),
  ),
  auto_selected: z.string().describe('The one that an installation takes.'),
})

/** Query of `GET /api/models/estimate/:id`. */
export const estimateQuery = z.object({ contexts: text('Sizes of the context in tokens, between commas.') })

/** Body of `POST /api/models/vram-estimate`. */
export const estimateBody = z.looseObject({
  model: z.string().min(1),
  context_size: z.int().min(1).max(100_000_000).nullish(),
  gpu_layers: z.int().min(-1).max(100_000).nullish(),
  kv_quant_bits: z.int().min(1).max(64).nullish(),
})

/** Body of `POST /models/apply`. */
export const applyBody = z.looseObject({
  id: z.string().nullish().describe('`name` or `gallery@name`.'),
  url: z.string().nullish().describe('A document of a model, where no gallery has it.'),
  name: z.string().nullish(),
  variant: z.string().nullish(),
  overrides: fields.nullish(),
  config_file: fields.nullish(),
  files: z
    .array(z.looseObject({ filename: z.string(), uri: z.string(), sha256: z.string().nullish() }))
    .max(1000)
    .nullish(),
})

/** Reply of `POST /models/apply` and `POST /models/delete/:name`. */
export const modelJobCreated = z.object({
  uuid: z.string(),
  status: z.string().describe('Where the job can be followed.'),
})

/** Reply of `GET /models/galleries` and `GET /backends/galleries`. */
export const galleryList = z.array(gallerySchema.extend(problems))

/** Reply of `GET /models/available`. */
export const availableModels = z.array(
  z.object({
    url: z.string(),
    name: z.string(),
    description: z.string(),
    license: z.string(),
    urls: texts,
    icon: z.string(),
    tags: texts,
    size: z.string(),
    files: z.array(entryFile),
    gallery: gallerySchema,
    installed: z.boolean(),
    backend: z.string(),
  }),
)

/** Wishes for an imported model. */
const preferencesBody = z.looseObject({
  name: z.string().nullish(),
  backend: z.string().nullish(),
  description: z.string().nullish(),
  quantizations: z.union([z.string(), texts]).nullish(),
})

/** Body of `POST /models/import-uri`. */
export const importBody = z.looseObject({
  uri: z.string().nullish().describe('Of a GGUF file, of a model file, of a repository of the hub, or ollama://.'),
  preferences: preferencesBody.nullish(),
})

/** Reply of `POST /models/import-uri`. */
export const importStarted = modelJobCreated.extend({
  estimated_vram_bytes: z.number().optional(),
  estimated_vram_display: z.string().optional(),
  estimated_size_bytes: z.number().optional(),
  estimated_size_display: z.string().optional(),
})

/** Refusal of `POST /models/import-uri`; with candidates where a backend has to be chosen. */
export const importRefused = z.looseObject({
  error: z.union([z.string(), compatibleError]),
  detail: z.string().optional(),
  modality: z.string().optional(),
  candidates: texts.optional().describe('Backends that could run the model.'),
  hint: z.string().optional(),
})

/** A job as the routes below `/models/jobs` and `/backends/jobs` show it. */
export const jobReply = z.object({
  deletion: z.boolean(),
  file_name: z.string(),
  error: z.string().optional(),
  processed: z.boolean().describe('The job has ended, whatever its outcome.'),
  message: z.string(),
  progress: z.number(),
  phase: z.string().optional(),
  current_bytes: z.int().optional(),
  total_bytes: z.int().optional(),
  bytes_per_second: z.int().optional(),
  seconds_left: z.int().optional(),
  file_size: z.string(),
  downloaded_size: z.string(),
  gallery_element_name: z.string().describe('The entry that was asked for; without one the name of the object.'),
  cancelled: z.boolean(),
  cancellable: z.boolean(),
})

/** The short form that the management pages poll. */
export const shortJobReply = z.object({
  progress: z.number(),
  message: z.string(),
  galleryElementName: z.string(),
  processed: z.boolean(),
  deletion: z.boolean(),
  queued: z.boolean(),
  error: z.string().optional(),
  completed: z.boolean().optional(),
})

/** Query of `GET /api/backends`. */
export const backendListQuery = z.object({
  term: text('Words in the name, the description, the tags or the name of the gallery.'),
  tag: text('A tag that the backend has.'),
  all: text('`true` lists builds for other machines too.'),
  sort: text('`name`, `repository`, `license` or `status`.'),
  order: text('`asc` or `desc`.'),
  page: text('Counted from 1.'),
  items: text('Backends of a page, 9 when it is left out.'),
})

/** A page of backends of galleries. */
export const backendPage = z.object({
  backends: z.array(
    z.object({
      ...rowHead,
      version: z.string(),
      isMeta: z.boolean(),
      isAlias: z.boolean(),
      isDevelopment: z.boolean(),
      capabilities: z.record(z.string(), z.string()),
      metaBackendFor: z.string(),
      nodes: z.array(z.unknown()),
    }),
  ),
  repositories: z.array(repository),
  allTags: texts,
  processingBackends: z.record(z.string(), z.string()),
  taskTypes,
  availableBackends: z.int(),
  installedBackends: z.int(),
  ...pages,
  systemCapability: z.string(),
  preferDevelopmentBackends: z.boolean(),
})

/** Body of `POST /api/backends/install-external`. */
export const externalBody = z.looseObject({
  uri: z.string().nullish().describe('Of an image.'),
  name: z.string().nullish(),
  alias: z.string().nullish(),
})

/** Reply of `POST /api/backends/upgrade/:name`. */
export const upgradeStarted = started.extend({ uuid: z.string(), statusUrl: z.string() })

/** Reply of `GET /api/backends/usecases`. */
export const usecasesByBackend = z.record(z.string(), texts)

/** Body of `POST /backends/apply`. */
export const applyBackendBody = z.looseObject({
  id: z.string().min(1).describe('`name` or `gallery@name`.'),
  force: z.boolean().nullish().describe('Installs it again where it is here.'),
})

/** Reply of the routes that start a job of a backend. */
export const backendJobCreated = z.object({ id: z.string(), status_url: z.string() })

/** Query of `GET /api/models/hub-search`. */
export const hubQuery = z.object({ q: z.string().describe('Words to search for.') })

/** Reply of `GET /api/models/hub-search`. */
export const hubReply = z.object({
  models: z.array(
    z.object({
      id: z.string(),
      task: z.string(),
      downloads: z.number(),
      likes: z.number(),
      uri: z.string().describe('For `POST /models/import-uri`.'),
    }),
  ),
})
