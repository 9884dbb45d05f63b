import type { ConfigStore } from '../../../catalog/folder-store.ts'
import type { Assessment } from '../../../galleries/assess-entries.ts'
import type { Listed, ModelEntry } from '../../../galleries/gallery.ts'
import { formatBytes } from '../../../galleries/memory-estimate.ts'
import { findEntryBackend, type ModelGallery } from '../../../galleries/model-gallery.ts'
import type { Call } from '../../../http/call.ts'
import type { OperationView } from '../../../operations/operation.ts'
import type { Operations } from '../../../operations/operations.ts'
import { listRepositories } from './gallery-state.ts'
import { distinctTexts, toPage } from './page.ts'
import { sortEntries } from './sort-entries.ts'
import { toTaskTypes } from './task-types.ts'

/** Parts of the page of models. */
export interface ModelPageParts {
  readonly gallery: ModelGallery
  readonly modelFiles: ConfigStore
  readonly operations: Operations
  /** Main memory of the machine. */
  readonly memory: () => Promise<{ readonly usedBytes: number; readonly totalBytes: number } | undefined>
}

/** Models of a page. */
const PAGE_SIZE = 9
/** Models of a page whose origins are asked for their size. */
const MAX_MEASURED = 24

/** One page of the models of all galleries, as a query asks for it. @throws {SvcError} `invalid_request` */
export async function listModels(call: Call, parts: ModelPageParts): Promise<Readonly<Record<string, unknown>>> {
  const { gallery, modelFiles, operations } = parts
  const all = await gallery.indexes.list({ signal: call.signal })
  const installed = new Set(modelFiles.list().map(({ name }) => name))
  const matching = await keepFitting(filterModels(all, call), call, gallery)
  const sorted = sortEntries(matching, call, installed)
  const page = toPage(sorted, { page: call.query('page'), items: call.query('items'), size: PAGE_SIZE })
  const processing = operations.list().filter((view) => view.subject === 'model' && view.state !== 'failed')
  const [memory, assessed] = await Promise.all([
    parts.memory(),
    gallery.assess(page.items, { measured: MAX_MEASURED, signal: call.signal }),
  ])
  return {
    models: page.items.map((listed, index) => ({
      ...toRow(listed, { installed, processing }),
      ...toSizeFields(listed.entry, assessed[index]),
    })),
    repositories: listRepositories(gallery.indexes),
    allTags: distinctTexts(all.flatMap(({ entry }) => entry.tags)),
    allBackends: distinctTexts(all.map(({ entry }) => findEntryBackend(entry))),
    processingModels: Object.fromEntries(processing.map(({ fullName, jobId }) => [fullName, jobId])),
    taskTypes: toTaskTypes(processing),
    availableModels: sorted.length,
    installedModels: installed.size,
    ramTotal: memory?.totalBytes ?? 0,
    ramUsed: memory?.usedBytes ?? 0,
    ramUsagePercent: memory === undefined ? 0 : (memory.usedBytes / Math.max(1, memory.totalBytes)) * 100,
    currentPage: page.currentPage,
    totalPages: page.totalPages,
    prevPage: page.prevPage,
    nextPage: page.nextPage,
  }
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

/** Leaves out models that are known not to fit, where the query says so. */
async function keepFitting(
  models: readonly Listed<ModelEntry>[],
  call: Call,
  gallery: ModelGallery,
): Promise<readonly Listed<ModelEntry>[]> {
  if (call.query('fits') !== 'true') return models
  const assessed = await gallery.assess(models, { measured: 0, signal: call.signal })
  return models.filter((_, index) => assessed[index]?.fits !== false)
}

/** Size and fit; unknown fields are left out. Without a size the fit is not known either. */
function toSizeFields(
  { size }: ModelEntry,
  { weightsBytes, memoryBytes, fits }: Partial<Assessment> = {},
): Readonly<Record<string, unknown>> {
  return {
    size,
    ...(weightsBytes === undefined ? {} : { size_bytes: weightsBytes, size_display: formatBytes(weightsBytes) }),
    ...(memoryBytes === undefined ? {} : { memory_bytes: memoryBytes, memory_display: formatBytes(memoryBytes) }),
    ...(fits === undefined || memoryBytes === undefined ? {} : { fits }),
  }
}

function declaredUses({ overrides, configFile }: ModelEntry): readonly string[] {
  const declared = [overrides.known_usecases, configFile.known_usecases].flat()
  return declared.flatMap((use) => (typeof use === 'string' ? [use.toLowerCase()] : []))
}

function toRow(
  { entry, gallery, id }: Listed<ModelEntry>,
  { installed, processing }: { readonly installed: ReadonlySet<string>; readonly processing: readonly OperationView[] },
): Readonly<Record<string, unknown>> {
  const { name, description, icon, license, urls, tags } = entry
  const running = processing.find(({ fullName }) => fullName.toLowerCase() === id.toLowerCase() || fullName === name)
  return {
    id,
    name,
    description,
    icon,
    license,
    urls,
    tags,
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
