import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { api, unwrap } from '../../lib/api-client.ts'
import { ApiError } from '../../lib/api-error.ts'
import { type LoadedModel, type LoadFailure, systemQuery } from '../../lib/server-state.ts'
import type { HostMemory } from './fit.ts'
import type { ConfiguredGallery, KnownGallery } from './known-galleries.ts'
import type { ModelsSearch } from './search.ts'

const PAGE_SIZE = 50

const fetchGallery = (
  { q, capability, backend, tag, fits, sort, order, pages = 1 }: ModelsSearch,
  signal: AbortSignal,
) =>
  unwrap(
    api.GET('/api/models', {
      signal,
      params: {
        query: {
          ...(q !== undefined && { term: q }),
          ...(capability !== undefined && { capability }),
          ...(backend !== undefined && { backend }),
          ...(tag !== undefined && { tag }),
          ...(fits && { fits: 'true' }),
          ...(sort !== undefined && { sort }),
          ...(order !== undefined && { order }),
          collapse_variants: 'true',
          items: String(PAGE_SIZE * pages),
        },
      },
    }),
  )

/** A page of the galleries. */
export type GalleryPage = Awaited<ReturnType<typeof fetchGallery>>
/** A model of a gallery. */
export type GalleryModel = GalleryPage['models'][number]

/** Models of the galleries. The previous rows stay while rows for other filters are fetched. */
export const galleryQuery = (search: ModelsSearch) => {
  const { q, capability, backend, tag, fits, sort, order, pages } = search
  return queryOptions({
    queryKey: ['models', 'gallery', { q, capability, backend, tag, fits, sort, order, pages }],
    placeholderData: keepPreviousData,
    queryFn: ({ signal }) => fetchGallery(search, signal),
    // the server asks origins for sizes that it does not know, and has them for the next list
    refetchInterval: ({ state: { data, dataUpdateCount } }) =>
      dataUpdateCount <= MAX_SIZE_TRIES && data?.models.some(lacksSize) === true && SIZE_MS,
  })
}

/** Most further requests of the list for sizes that were not known in time, and the pause between them. */
const MAX_SIZE_TRIES = 4
const SIZE_MS = 4_000

function lacksSize({ size, size_bytes }: Pick<GalleryModel, 'size' | 'size_bytes'>): boolean {
  return size_bytes === undefined && size === ''
}

/** One model of a gallery that the list does not show now. @param id such as `gallery@name` */
export const galleryModelQuery = (id: string) =>
  queryOptions({
    queryKey: ['models', 'gallery-model', id],
    async queryFn({ signal }): Promise<GalleryModel | null> {
      const term = id.slice(id.indexOf('@') + 1)
      const page = await unwrap(api.GET('/api/models', { signal, params: { query: { term, items: '100' } } }))
      return page.models.find((model) => model.id === id) ?? null
    },
  })

const fetchVariants = (id: string, signal: AbortSignal) =>
  unwrap(api.GET('/api/models/variants/{id}', { signal, params: { path: { id } } }))

/** The forms of a model. */
export type Variants = Awaited<ReturnType<typeof fetchVariants>>

export const variantsQuery = (id: string) =>
  queryOptions({ queryKey: ['models', 'variants', id], queryFn: ({ signal }) => fetchVariants(id, signal) })

/** Contexts that memory is estimated for. */
export const CONTEXTS = [4096, 8192, 16_384, 32_768, 65_536, 131_072] as const

/** Memory that a model takes, by its context. */
export interface Estimate {
  readonly weightsBytes: number | undefined
  readonly maxContext: number | undefined
  readonly byContext: ReadonlyMap<number, number>
}

export const estimateQuery = (id: string) =>
  queryOptions({
    queryKey: ['models', 'estimate', id],
    async queryFn({ signal }): Promise<Estimate> {
      const params = { path: { id }, query: { contexts: CONTEXTS.join(',') } }
      const {
        sizeBytes: weightsBytes,
        model_max_context: maxContext,
        estimates,
      } = await unwrap(api.GET('/api/models/estimate/{id}', { signal, params }))
      const byContext = new Map(
        Object.entries(estimates).map(([context, { vramBytes }]) => [Number(context), vramBytes]),
      )
      return { weightsBytes, maxContext, byContext }
    },
  })

/** Memory for models on this host, of its graphics devices where it has some. */
export interface Host extends HostMemory {
  readonly hasGpu: boolean
}

export const hostQuery = queryOptions({
  ...systemQuery,
  select({ resources: { type, aggregate, ram } }): Host {
    const free = type === 'ram' ? (ram?.available ?? aggregate.free_memory) : aggregate.free_memory
    return { total: aggregate.total_memory, free, hasGpu: type === 'gpu' }
  },
})

/** The reason why the server cannot write its models folder; null if it can. */
export const folderProblemQuery = queryOptions({
  ...systemQuery,
  select: ({ resources: { models_folder_problem: problem } }) => problem ?? null,
})

/** Models whose last load failed, by their names. */
export const failuresQuery = queryOptions({
  ...systemQuery,
  select: ({ failures }): ReadonlyMap<string, LoadFailure> =>
    new Map(failures.map((failure) => [failure.model, failure])),
})

/** The mistakes in model files. */
export const problemsQuery = queryOptions({ ...systemQuery, select: ({ problems }) => problems })

/** The galleries of models, as the setting holds them. */
export const configuredGalleriesQuery = queryOptions({
  queryKey: ['settings', 'galleries'],
  staleTime: 0,
  async queryFn({ signal }): Promise<readonly ConfiguredGallery[]> {
    const { galleries } = await unwrap(api.GET('/api/settings', { signal }))
    return Array.isArray(galleries) ? (galleries as readonly ConfiguredGallery[]) : []
  },
})

/** Adds a gallery after the galleries that are set now, also when somebody else has changed them. */
export async function addGallery(gallery: KnownGallery): Promise<void> {
  const { galleries } = await unwrap(api.GET('/api/settings', {}))
  const present = Array.isArray(galleries) ? galleries : []
  const body = { galleries: [...present, { name: gallery.name, url: gallery.url }] }
  const reply: { readonly message?: unknown } = await unwrap(api.POST('/api/settings', { body }))
  // a flag or variable may override the saved value; the reply says so
  const now = await unwrap(api.GET('/api/settings', {}))
  const isThere = Array.isArray(now.galleries) && now.galleries.some(({ name }) => name === gallery.name)
  if (!isThere) throw new Error(typeof reply.message === 'string' ? reply.message : gallery.url)
}

/** The model that administrators have chosen for new chats; empty without a choice. */
export const defaultModelQuery = queryOptions({
  queryKey: ['models', 'default'],
  queryFn: async ({ signal }) => (await unwrap(api.GET('/api/settings', { signal }))).default_model ?? '',
})

/** The server's knowledge of a model's weights and limits; null for a model whose weights reveal nothing. */
export const knowledgeQuery = (name: string) =>
  queryOptions({
    queryKey: ['models', 'knowledge', name],
    async queryFn({ signal }) {
      try {
        return await unwrap(api.POST('/api/show', { body: { model: name }, signal }))
      } catch (error) {
        if (error instanceof ApiError && error.status >= 400 && error.status < 500) return null
        throw error
      }
    },
  })

/** The models in memory by their names. */
export const loadedQuery = queryOptions({
  ...systemQuery,
  select: ({ loaded_models }): ReadonlyMap<string, LoadedModel> =>
    new Map(loaded_models.map((model) => [model.id, model])),
})
