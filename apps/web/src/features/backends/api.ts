import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { api, unwrap } from '../../lib/api-client.ts'
import { describeInstalled, type InstalledBackend } from './installed-backends.ts'
import type { BackendsSearch } from './search.ts'

const fetchGallery = ({ q, tag, show_all }: BackendsSearch, signal: AbortSignal) =>
  unwrap(
    api.GET('/api/backends', {
      signal,
      params: {
        query: {
          ...(q !== undefined && { term: q }),
          ...(tag !== undefined && { tag }),
          ...(show_all === 1 && { all: 'true' }),
          items: '1000',
        },
      },
    }),
  )

/** Backends of the galleries. */
export type BackendPage = Awaited<ReturnType<typeof fetchGallery>>
/** A backend of a gallery. */
export type GalleryBackend = BackendPage['backends'][number]

/** Backends of the galleries for this machine, or for all. */
export const galleryQuery = (search: BackendsSearch) => {
  const { q, tag, show_all } = search
  return queryOptions({
    queryKey: ['backends', 'gallery', { q, tag, show_all }],
    placeholderData: keepPreviousData,
    queryFn: ({ signal }) => fetchGallery(search, signal),
  })
}

/** The installed backends, and the names of everything that models can run on. */
export interface BackendsHere {
  readonly installed: readonly InstalledBackend[]
  /** Names that come with the server. */
  readonly builtIn: readonly string[]
}

export const installedQuery = queryOptions({
  queryKey: ['backends', 'installed'],
  async queryFn({ signal }): Promise<BackendsHere> {
    const [backends, system] = await Promise.all([
      unwrap(api.GET('/backends', { signal })),
      unwrap(api.GET('/system', { signal })),
    ])
    const installed = describeInstalled(backends)
    const names = new Set(installed.map(({ name }) => name))
    return { installed, builtIn: system.backends.filter((name) => !names.has(name)) }
  },
})

/** Looks for newer versions of everything that came from a gallery. */
export async function checkUpgrades(): Promise<void> {
  await unwrap(api.POST('/api/backends/upgrades/check', {}))
}

/** An image that no gallery has. */
export interface ExternalBackend {
  readonly uri: string
  readonly name: string
  readonly alias: string
}

/** Installs a backend from an image. */
export async function installExternal({ uri, name, alias }: ExternalBackend): Promise<void> {
  const body = { uri, ...(name === '' ? {} : { name }), ...(alias === '' ? {} : { alias }) }
  await unwrap(api.POST('/api/backends/install-external', { body }))
}
