import { SvcError } from '@svc/errors'
import { createOwnToolSet } from '../inference/tools/own-tool-set.ts'
import type { OpenFileSearch, ToolResult, ToolSet } from '../inference/tools/server-tools.ts'
import { readAttributeFilter } from './attribute-filter.ts'
import type { Documents } from './documents.ts'
import type { DocumentHit, DocumentSearch } from './search-documents.ts'

const NAME = 'file_search'
const DEFAULT_RESULTS = 10
/** Most queries of one call, and characters of one. */
const MAX_QUERIES = 16
const MAX_QUERY = 4096

const SCHEMA = {
  type: 'object',
  properties: {
    queries: {
      type: 'array',
      items: { type: 'string' },
      minItems: 1,
      maxItems: MAX_QUERIES,
      description: 'Sentences or words to look for. Each finds the passages that are nearest to it in meaning.',
    },
  },
  required: ['queries'],
  additionalProperties: false,
} as const

/** Makes the search in vector stores as a tool of models. Nothing is opened before a request wants it. */
export function createFileSearch(documents: { open(): Promise<Pick<Documents, 'stores' | 'search'>> }): OpenFileSearch {
  return async (asked, { context, signal }) => {
    const filter = asked.filter === undefined ? undefined : readAttributeFilter(asked.filter)
    const { stores, search } = await documents.open()
    const { principal } = context
    const reader = { id: principal.id, isAdmin: principal.role === 'admin' }
    const used = await Promise.all([...new Set(asked.stores)].map((id) => stores.use(id, reader)))
    const options = { filter, count: asked.maxResults ?? DEFAULT_RESULTS, threshold: asked.threshold }
    const run = async (queries: readonly string[], running: AbortSignal): Promise<ToolResult> => {
      for (const store of used) await stores.markUse(store)
      const wanted: DocumentSearch = { ...options, queries }
      const hits = await search(used, wanted, { caller: context, signal: running })
      return { content: [{ type: 'text', text: JSON.stringify(hits.map(toResult)) }], isError: false }
    }
    return toSet((args, running) => run(readQueries(args), running), signal)
  }
}

function toResult({ fileId, filename, score, text, attributes }: DocumentHit) {
  return { file_id: fileId, filename, score, text, attributes }
}

function toSet(
  run: (args: Readonly<Record<string, unknown>>, signal: AbortSignal) => Promise<ToolResult>,
  opened: AbortSignal,
): ToolSet {
  return createOwnToolSet([
    {
      name: NAME,
      tool: NAME,
      server: NAME,
      description: 'Finds passages in the files of the user. Ask it before you answer questions about them.',
      inputSchema: SCHEMA,
      hints: { readOnly: true, idempotent: true, destructive: false },
      approval: 'auto',
      call: (args, { signal }) => run(args, AbortSignal.any([opened, signal])),
    },
  ])
}

function readQueries({ queries }: Readonly<Record<string, unknown>>): readonly string[] {
  const isList = Array.isArray(queries) && queries.length > 0 && queries.length <= MAX_QUERIES
  const fits = (query: unknown): query is string =>
    typeof query === 'string' && query.trim() !== '' && query.length <= MAX_QUERY
  if (isList && queries.every(fits)) return queries
  throw new SvcError('invalid_request', `queries: 1 to ${MAX_QUERIES} texts of at most ${MAX_QUERY} characters`)
}
