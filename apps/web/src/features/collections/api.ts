import { queryOptions } from '@tanstack/react-query'
import { api, unwrap } from '../../lib/api-client.ts'
import { toUrl } from '../../lib/base-path.ts'

const INDEXING_MS = 2_000

const path = (name: string) => ({ params: { path: { name } } })

/** Names of the collections. */
export const collectionsQuery = queryOptions({
  queryKey: ['collections'],
  queryFn: async ({ signal }) => (await unwrap(api.GET('/api/agents/collections', { signal }))).collections,
})

export function createCollection(name: string) {
  return unwrap(api.POST('/api/agents/collections', { body: { name } }))
}

export function deleteCollection(name: string) {
  return unwrap(api.DELETE('/api/agents/collections/{name}', path(name)))
}

export function emptyCollection(name: string) {
  return unwrap(api.POST('/api/agents/collections/{name}/reset', path(name)))
}

async function fetchEntries(name: string, signal: AbortSignal) {
  return (await unwrap(api.GET('/api/agents/collections/{name}/entries', { ...path(name), signal }))).details
}

/** A document of a collection. */
export type Entry = Awaited<ReturnType<typeof fetchEntries>>[number]

/** The documents of a collection; asked for anew while one of them is indexed. */
export const entriesQuery = (name: string) =>
  queryOptions({
    queryKey: ['collections', name, 'entries'],
    queryFn: ({ signal }) => fetchEntries(name, signal),
    refetchInterval: ({ state: { data } }) =>
      data?.some(({ status }) => status === 'in_progress') === true ? INDEXING_MS : false,
  })

/** The text of a document, as it was read. */
export const entryTextQuery = (name: string, entry: string) =>
  queryOptions({
    queryKey: ['collections', name, 'text', entry],
    gcTime: 0,
    queryFn: async ({ signal }) => {
      const params = { path: { name, entry } }
      return (await unwrap(api.GET('/api/agents/collections/{name}/entries/{entry}', { params, signal }))).content
    },
  })

/** The address of the bytes of a document. */
export function findFile(name: string, entry: string): string {
  return toUrl(`api/agents/collections/${encodeURIComponent(name)}/entries-raw/${encodeURIComponent(entry)}`)
}

/** Adds a document. @throws ApiError */
export async function uploadEntry(name: string, file: File, signal: AbortSignal): Promise<void> {
  const form = new FormData()
  form.set('file', file)
  // the schema says text where a form has a file
  const body = { file: '' }
  const options = { ...path(name), body, bodySerializer: () => form, signal }
  await unwrap(api.POST('/api/agents/collections/{name}/upload', options))
}

export function deleteEntry(name: string, entry: string) {
  return unwrap(api.DELETE('/api/agents/collections/{name}/entry/delete', { ...path(name), body: { entry } }))
}

/** Finds the parts of documents that fit a text, the best first. */
export async function searchCollection(name: string, query: string, most: number, signal: AbortSignal) {
  const body = { query, max_results: most }
  return (await unwrap(api.POST('/api/agents/collections/{name}/search', { ...path(name), body, signal }))).results
}

async function fetchSources(name: string, signal: AbortSignal) {
  return (await unwrap(api.GET('/api/agents/collections/{name}/sources', { ...path(name), signal }))).sources
}

/** An address that a collection fetches. */
export type Source = Awaited<ReturnType<typeof fetchSources>>[number]

export const sourcesQuery = (name: string) =>
  queryOptions({
    queryKey: ['collections', name, 'sources'],
    queryFn: ({ signal }) => fetchSources(name, signal),
  })

/** Fetches an address now and again after an interval. @param minutes 1 to 525,600 */
export function addSource(name: string, url: string, minutes: number) {
  const body = { url, update_interval: minutes }
  return unwrap(api.POST('/api/agents/collections/{name}/sources', { ...path(name), body }))
}

export function deleteSource(name: string, url: string) {
  return unwrap(api.DELETE('/api/agents/collections/{name}/sources', { ...path(name), body: { url } }))
}
