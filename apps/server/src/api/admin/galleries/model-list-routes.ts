import { SvcError } from '@svc/errors'
import * as z from 'zod'
import type { ConfigStore } from '../../../catalog/folder-store.ts'
import { checkName } from '../../../files/safe-path.ts'
import type { Listed, ModelEntry } from '../../../galleries/gallery.ts'
import { estimateMemory, formatBytes, type ModelShape } from '../../../galleries/memory-estimate.ts'
import { findEntryBackend, type ModelGallery } from '../../../galleries/model-gallery.ts'
import type { BodyReader } from '../../../http/body.ts'
import type { Call } from '../../../http/call.ts'
import { json } from '../../../http/json.ts'
import { defineRoute, type Route } from '../../../http/route.ts'
import type { OperationView } from '../../../operations/operation.ts'
import type { Operations } from '../../../operations/operations.ts'
import { readJsonBody } from '../read-json-body.ts'
import { findJob, shortJobReply, toShortJob } from './job.ts'
import { distinctTexts, toDirection, toPage } from './page.ts'

/** What the routes of the model page need. */
export interface ModelListParts {
  readonly gallery: ModelGallery
  readonly modelFiles: ConfigStore
  readonly operations: Operations
  /** Main memory of the machine. */
  readonly memory: () => Promise<{ readonly usedBytes: number; readonly totalBytes: number } | undefined>
  /** The size of a model that is here; undefined where its files do not tell. */
  readonly installedShape: (name: string) => Promise<ModelShape | undefined>
  readonly bodies: BodyReader
}

const SORTS = ['name', 'repository', 'license', 'status'] as const
const PAGE_SIZE = 9
const DEFAULT_CONTEXTS = [8192, 32_768, 131_072]

const text = (about: string) => z.string().optional().describe(about)
const listQuery = z.object({
  term: text('Words in the name, the description, the tags or the name of the gallery.'),
  tag: text('A tag that the model has.'),
  backend: text('The backend of the model.'),
  capability: text('A usecase or tag of the model.'),
  collapse_variants: text('`true` leaves out models that are a variant of another one.'),
  sort: text('`name`, `repository`, `license` or `status`.'),
  order: text('`asc` or `desc`.'),
  page: text('Counted from 1.'),
  items: text(`Models of a page, ${PAGE_SIZE} when it is left out.`),
})

const started = z.object({ jobID: z.string(), message: z.string() })

const shared = { access: 'admin', family: 'flat', tag: 'models' } as const

/** The list of models for the management pages, with what can be done to them (§4.6). */
export function modelListRoutes(parts: ModelListParts): Route[] {
  const { gallery, operations, bodies } = parts
  return [
    defineRoute({
      ...shared,
      method: 'GET',
      path: '/api/models',
      summary: 'Models of the galleries, with filters and pages',
      query: async () => listQuery,
      responses: { 200: { description: 'One page.' } },
      handler: async (call) => json(await listModels(call, parts)),
    }),
    defineRoute({
      ...shared,
      method: 'POST',
      path: '/api/models/install/:id{.+}',
      summary: 'Install a model of a gallery',
      query: async () => z.object({ variant: text('Name of the entry to take instead.') }),
      responses: { 200: { description: 'The installation is queued.', schema: async () => started } },
      async handler(call) {
        const variant = call.query('variant')
        const { jobId } = await gallery.install({ id: call.param('id'), ...(variant ? { variant } : {}) })
        return json({ jobID: jobId, message: 'Installation started' })
      },
    }),
    defineRoute({
      ...shared,
      method: 'POST',
      path: '/api/models/delete/:id{.+}',
      summary: 'Delete a model',
      responses: { 200: { description: 'The deletion is queued.', schema: async () => started } },
      async handler(call) {
        const id = call.param('id')
        const name = id.slice(id.indexOf('@') + 1)
        checkName(name, 'model')
        const { jobId } = await gallery.remove(name)
        return json({ jobID: jobId, message: 'Deletion started' })
      },
    }),
    defineRoute({
      ...shared,
      method: 'POST',
      path: '/api/models/config/:id{.+}',
      summary: 'Write the configuration of a model of a gallery without its files',
      responses: {
        200: { description: 'Written and in force.', schema: async () => z.object({ message: z.string() }) },
        409: { description: 'A model of this name exists.' },
      },
      async handler(call) {
        await gallery.saveConfig(call.param('id'), { signal: call.signal })
        return json({ message: 'Configuration file saved' })
      },
    }),
    defineRoute({
      ...shared,
      method: 'GET',
      path: '/api/models/job/:uid',
      summary: 'A job of a model, in short',
      quiet: true,
      responses: { 200: { description: 'The job.', schema: async () => shortJobReply } },
      handler: async (call) => json(toShortJob(await findJob(operations, call.param('uid'), 'model'))),
    }),
    defineRoute({
      ...shared,
      method: 'GET',
      path: '/api/models/variants/:id{.+}',
      summary: 'The forms of a model, and which fits this machine',
      responses: { 200: { description: 'The variants, and the one that an installation takes.' } },
      async handler(call) {
        const listed = await findListed(call, gallery)
        const { variants, best } = await gallery.variants(listed, { signal: call.signal })
        return json({
          variants: variants.map(({ listed: { entry }, backend, memoryBytes, fits, isBase }) => ({
            model: entry.name,
            backend,
            ...(memoryBytes === undefined ? {} : { memory_bytes: memoryBytes }),
            fits,
            is_base: isBase,
          })),
          auto_selected: best.listed.entry.name,
        })
      },
    }),
    defineRoute({
      ...shared,
      method: 'GET',
      path: '/api/models/estimate/:id{.+}',
      summary: 'How much memory a model takes',
      query: async () => z.object({ contexts: text('Sizes of the context in tokens, between commas.') }),
      responses: { 200: { description: 'An estimate for each context.' } },
      async handler(call) {
        const listed = await findListed(call, gallery)
        const shape = await gallery.measureShape(listed.entry, { signal: call.signal })
        return json(toEstimates(shape, toContexts(call.query('contexts'))))
      },
    }),
    defineRoute({
      ...shared,
      method: 'POST',
      path: '/api/models/vram-estimate',
      summary: 'How much memory an installed model takes as it is to be loaded',
      body: async () => estimateBody,
      responses: { 200: { description: 'The estimate; without figures where its files do not tell.' } },
      async handler(call) {
        const body = await readJsonBody(call, estimateBody, bodies)
        const shape = await parts.installedShape(body.model)
        if (shape === undefined) return json({})
        const vramBytes = estimateMemory(shape, {
          contextSize: body.context_size ?? DEFAULT_CONTEXTS[0] ?? 0,
          gpuLayers: body.gpu_layers ?? undefined,
          cacheBits: body.kv_quant_bits ?? undefined,
        })
        return json({
          sizeBytes: shape.weightsBytes,
          sizeDisplay: formatBytes(shape.weightsBytes),
          vramBytes,
          vramDisplay: formatBytes(vramBytes),
          ...(shape.maxContext === undefined ? {} : { model_max_context: shape.maxContext }),
        })
      },
    }),
  ]
}

const estimateBody = z.looseObject({
  model: z.string().min(1),
  context_size: z.int().min(1).max(100_000_000).nullish(),
  gpu_layers: z.int().min(-1).max(100_000).nullish(),
  kv_quant_bits: z.int().min(1).max(64).nullish(),
})

async function findListed(call: Call, gallery: ModelGallery): Promise<Listed<ModelEntry>> {
  const listed = await gallery.indexes.find(call.param('id'), { signal: call.signal })
  if (listed === undefined) throw new SvcError('not_found', 'model not found', { code: 'model_not_found' })
  return listed
}

function toContexts(asked: string | undefined): readonly number[] {
  if (asked === undefined || asked === '') return DEFAULT_CONTEXTS
  const contexts = asked
    .split(',')
    .slice(0, 20)
    .map((part) => (/^\s*\d{1,9}\s*$/.test(part) ? Number(part) : 0))
  if (contexts.every((context) => context > 0)) return contexts
  throw new SvcError('invalid_request', 'contexts is not a list of whole numbers from 1', {
    code: 'invalid_query',
    details: { param: 'contexts' },
  })
}

function toEstimates(shape: ModelShape | undefined, contexts: readonly number[]): Readonly<Record<string, unknown>> {
  if (shape === undefined) return { estimates: {} }
  const estimates = contexts.map((contextSize) => {
    const vramBytes = estimateMemory(shape, { contextSize })
    return [contextSize, { vramBytes, vramDisplay: formatBytes(vramBytes) }] as const
  })
  return {
    sizeBytes: shape.weightsBytes,
    sizeDisplay: formatBytes(shape.weightsBytes),
    ...(shape.maxContext === undefined ? {} : { model_max_context: shape.maxContext }),
    estimates: Object.fromEntries(estimates),
  }
}

async function listModels(call: Call, parts: ModelListParts): Promise<Readonly<Record<string, unknown>>> {
  const { gallery, modelFiles, operations } = parts
  const all = await gallery.indexes.list({ signal: call.signal })
  const installed = new Set(modelFiles.list().map(({ name }) => name))
  const matching = filterModels(all, call)
  const sorted = sortModels(matching, call, installed)
  const page = toPage(sorted, { page: call.query('page'), items: call.query('items'), size: PAGE_SIZE })
  const processing = operations.list().filter((view) => view.subject === 'model' && view.state !== 'failed')
  const memory = await parts.memory()
  return {
    models: page.items.map((listed) => toRow(listed, { installed, processing })),
    repositories: gallery.indexes.galleries().map(({ name, url }) => ({ name, url })),
    allTags: distinctTexts(all.flatMap(({ entry }) => entry.tags)),
    allBackends: distinctTexts(all.map(({ entry }) => findEntryBackend(entry))),
    processingModels: Object.fromEntries(processing.map(({ fullName, jobId }) => [fullName, jobId])),
    taskTypes: Object.fromEntries(processing.map((view) => [view.fullName, toTask(view)])),
    availableModels: all.length,
    installedModels: installed.size,
    ramTotal: memory?.totalBytes ?? 0,
    ramUsed: memory?.usedBytes ?? 0,
    ramUsagePercent: memory === undefined ? 0 : (memory.usedBytes / Math.max(1, memory.totalBytes)) * 100,
    ...{ currentPage: page.currentPage, totalPages: page.totalPages, prevPage: page.prevPage, nextPage: page.nextPage },
  }
}

function toTask({ state, action }: OperationView): string {
  if (state === 'queued') return 'waiting'
  return action
}

function filterModels(all: readonly Listed<ModelEntry>[], call: Call): readonly Listed<ModelEntry>[] {
  const [term, tag, backend, capability] = ['term', 'tag', 'backend', 'capability'].map((name) =>
    (call.query(name) ?? '').toLowerCase(),
  )
  const variants = new Set(
    call.query('collapse_variants') === 'true'
      ? all.flatMap(({ entry, gallery }) => entry.variants.map((name) => `${gallery.name}@${name}`.toLowerCase()))
      : [],
  )
  return all.filter(({ entry, gallery, id }) => {
    const tags = entry.tags.map((one) => one.toLowerCase())
    const words = [entry.name, entry.description, gallery.name, ...tags].join('\n').toLowerCase()
    if (term && !words.includes(term)) return false
    if (tag && !tags.includes(tag)) return false
    if (backend && findEntryBackend(entry).toLowerCase() !== backend) return false
    if (capability && !tags.includes(capability) && !declaredUses(entry).includes(capability)) return false
    return !variants.has(id.toLowerCase())
  })
}

function declaredUses({ overrides, configFile }: ModelEntry): readonly string[] {
  const declared = [overrides.known_usecases, configFile.known_usecases].flat()
  return declared.flatMap((use) => (typeof use === 'string' ? [use.toLowerCase()] : []))
}

function sortModels(
  models: readonly Listed<ModelEntry>[],
  call: Call,
  installed: ReadonlySet<string>,
): readonly Listed<ModelEntry>[] {
  const asked = call.query('sort')
  if (asked === undefined || asked === '') return models
  const sort = SORTS.find((one) => one === asked)
  if (sort === undefined) {
    throw new SvcError('invalid_request', `sort is not one of ${SORTS.join(', ')}`, {
      code: 'invalid_query',
      details: { param: 'sort' },
    })
  }
  const direction = toDirection(call.query('order'))
  const toSortKey = ({ entry, gallery }: Listed<ModelEntry>): string => {
    if (sort === 'repository') return gallery.name
    if (sort === 'license') return entry.license
    return sort === 'status' ? (installed.has(entry.name) ? '0' : '1') : entry.name.toLowerCase()
  }
  const keyed = models.map((listed) => ({ listed, key: toSortKey(listed) }))
  keyed.sort((one, other) => (one.key === other.key ? 0 : one.key < other.key ? -direction : direction))
  return keyed.map(({ listed }) => listed)
}

function toRow(
  { entry, gallery, id }: Listed<ModelEntry>,
  { installed, processing }: { readonly installed: ReadonlySet<string>; readonly processing: readonly OperationView[] },
): Readonly<Record<string, unknown>> {
  const { name, description, icon, license, urls, tags } = entry
  const running = processing.find(({ fullName }) => fullName.toLowerCase() === id.toLowerCase() || fullName === name)
  return {
    ...{ id, name, description, icon, license, urls, tags },
    gallery: gallery.name,
    installed: installed.has(name),
    processing: running !== undefined,
    jobID: running?.jobId ?? '',
    isDeletion: running?.action === 'deletion',
    trustRemoteCode: entry.overrides.trust_remote_code === true || entry.configFile.trust_remote_code === true,
    additionalFiles: entry.files.map(({ filename, uri, sha256 = '' }) => ({ filename, uri, sha256 })),
    backend: findEntryBackend(entry),
    voice_cloning: tags.includes('voice-cloning'),
    has_variants: entry.variants.length > 0,
  }
}
