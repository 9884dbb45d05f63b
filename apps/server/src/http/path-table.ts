import { type ErrorFamily, pathsOf, type RouteRow } from './route-row.ts'

/** What the rows of a path say. */
export interface KnownPath {
  /** Methods that some row has for it, in table order, HEAD beside GET; none: no row has the path. */
  readonly methods: readonly string[]
  /** The error body that its clients read. @default 'compatible', where no row has it */
  readonly family: ErrorFamily
}

/** Finds which methods a path has, for 405 and its `Allow` header. Asked for unmatched requests only. */
export interface PathTable {
  find(path: string): KnownPath
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
  const entries = rows.flatMap((row) => pathsOf(row).map((path) => ({ row, expression: toExpression(path) })))
  return {
    find(path) {
      const methods = new Set<string>()
      const rows = entries.filter(({ expression }) => expression.test(path)).map(({ row }) => row)
      for (const { method } of rows) {
        methods.add(method)
        if (method === 'GET') methods.add('HEAD')
      }
      const family = rows[0]?.family ?? 'compatible'
      return { methods: methods.size === 0 ? [] : [...methods, 'OPTIONS'], family }
    },
  }
}
