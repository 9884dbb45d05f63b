import { vi } from 'vitest'

/** Parts of a route that the tests read. */
interface ReadRoute {
  readonly options: object
  readonly children?: unknown
}

const toRoutes = (value: unknown): readonly ReadRoute[] => (Array.isArray(value) ? (value as readonly ReadRoute[]) : [])

function listPaths(base: string, routes: readonly ReadRoute[]): readonly string[] {
  return routes.flatMap((route) => {
    const { options } = route
    const own = 'path' in options && typeof options.path === 'string' ? options.path.replace(/^\//, '') : ''
    const path = `${base}/${own}`.replace(/(?<=.)\/$/, '')
    return [path, ...listPaths(path, toRoutes(route.children))]
  })
}

/** The paths of all routes, such as `/app/models/$name`, as the interface declares them; old addresses are left out. */
export async function listRoutes(): Promise<readonly string[]> {
  // the modules of routes read the document's address and listen to the browser as they load
  vi.stubGlobal('document', { baseURI: 'http://server.example/' })
  vi.stubGlobal('addEventListener', () => {})
  try {
    const { appPages, publicPages, tracesRoutes } = await import('../src/app/routes.ts')
    return [...listPaths('/app', [...appPages, tracesRoutes]), ...listPaths('', publicPages)]
  } finally {
    vi.unstubAllGlobals()
  }
}
