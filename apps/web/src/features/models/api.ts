import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { api, unwrap } from '../../lib/api-client.ts'
import { isRecord } from '../../lib/api-error.ts'
import { type LoadedModel, resourcesQuery, systemQuery } from '../../lib/server-state.ts'
import type { HostMemory } from './fit.ts'
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

/** Models of the galleries. The rows of before stay while other filters are fetched. */
export const galleryQuery = (search: ModelsSearch) => {
  const { q, capability, backend, tag, fits, sort, order, pages } = search
  return queryOptions({
    queryKey: ['models', 'gallery', { q, capability, backend, tag, fits, sort, order, pages }],
    placeholderData: keepPreviousData,
    queryFn: ({ signal }) => fetchGallery(search, signal),
  })
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

/** Reads an estimate, for which the server's document has no schema. */
function readEstimate(value: unknown): Estimate {
  const fields = isRecord(value) ? value : {}
  const estimates = isRecord(fields.estimates) ? fields.estimates : {}
  const toNumber = (number: unknown) => (typeof number === 'number' ? number : undefined)
  return {
    weightsBytes: toNumber(fields.sizeBytes),
    maxContext: toNumber(fields.model_max_context),
    byContext: new Map(
      Object.entries(estimates).flatMap(([context, estimate]) => {
        const bytes = isRecord(estimate) ? toNumber(estimate.vramBytes) : undefined
        return bytes === undefined ? [] : [[Number(context), bytes] as const]
      }),
    ),
  }
}

export const estimateQuery = (id: string) =>
  queryOptions({
    queryKey: ['models', 'estimate', id],
    async queryFn({ signal }): Promise<Estimate> {
      const query = { contexts: CONTEXTS.join(',') }
      return readEstimate(
        await unwrap(api.GET('/api/models/estimate/{id}', { signal, params: { path: { id }, query } })),
      )
    },
  })

/** Memory for models on this host, of its graphics devices where it has some. */
export interface Host extends HostMemory {
  readonly hasGpu: boolean
}

export const hostQuery = queryOptions({
  ...resourcesQuery,
  select({ type, aggregate, ram }): Host {
    const free = type === 'ram' ? (ram?.available ?? aggregate.free_memory) : aggregate.free_memory
    return { total: aggregate.total_memory, free, hasGpu: type === 'gpu' }
  },
})

/** The models in memory by their names. */
export const loadedQuery = queryOptions({
  ...systemQuery,
  select: ({ loaded_models }): ReadonlyMap<string, LoadedModel> =>
    new Map(loaded_models.map((model) => [model.id, model])),
})
