import { pathsOf, type RouteRow } from './route-row.ts'

/** Finds which methods a path has, for 405 and its `Allow` header. Asked for unmatched requests only. */
export interface PathTable {
  /** Methods that some row has for this path, in table order, HEAD beside GET. */
  methodsOf(path: string): readonly string[]
}

/** One regular pattern per row; built from our own constants, never from input. */
function toExpression(pattern: string): RegExp {
  const source = pattern
    .split('/')
    .map((segment) => {
      if (segment === '*') return '.*'
      if (segment.startsWith(':')) return '[^/]+'
      return segment.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
    })
    .join('/')
  return new RegExp(`^${source}$`)
}

/** Indexes the rows of the route table by path. */
export function createPathTable(rows: readonly RouteRow[]): PathTable {
  const entries = rows.flatMap((row) =>
    pathsOf(row).map((path) => ({ method: row.method, expression: toExpression(path) })),
  )
  return {
    methodsOf(path) {
      const methods = new Set<string>()
      for (const { method, expression } of entries) {
        if (!expression.test(path)) continue
        methods.add(method)
        if (method === 'GET') methods.add('HEAD')
      }
      return methods.size === 0 ? [] : [...methods, 'OPTIONS']
    },
  }
}
