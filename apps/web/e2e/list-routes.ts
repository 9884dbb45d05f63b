import { vi } from 'vitest'

/** What the tests read of a route. */
interface ReadRoute {
  readonly options: unknown
  readonly children?: unknown
}

const toRoutes = (value: unknown): readonly ReadRoute[] => (Array.isArray(value) ? (value as readonly ReadRoute[]) : [])

/** The path in the options of a route; some routes have none. */
function readPath(options: unknown): string {
  if (typeof options !== 'object' || options === null || !('path' in options)) return ''
  return String(options.path ?? '').replace(/^\//, '')
}

function listPaths(base: string, routes: readonly ReadRoute[]): readonly string[] {
  return routes.flatMap((route) => {
    const path = `${base}/${readPath(route.options)}`.replace(/(?<=.)\/$/, '')
    return [path, ...listPaths(path, toRoutes(route.children))]
  })
}

/** The paths of all routes, such as `/app/models/$name`, as the interface declares them; old addresses are left out. */
export async function listRoutes(): Promise<readonly string[]> {
  // the modules of routes read where the document lies, and the browser's store, as they load
  vi.stubGlobal('document', { baseURI: 'http://server.example/' })
  try {
    const { appPages, publicPages, tracesRoutes } = await import('../src/app/routes.ts')
    return [...listPaths('/app', [...appPages, tracesRoutes]), ...listPaths('', publicPages)]
  } finally {
    vi.unstubAllGlobals()
  }
}
