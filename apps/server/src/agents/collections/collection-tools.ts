import { SvcError } from '@svc/errors'
import type { DocumentStore } from '../../document-stores/document-store.ts'
import type { InnerCaller } from '../../inference/core/inner-context.ts'
import type { ServerTool } from '../../inference/tools/server-tools.ts'
import type { Collections } from './collections.ts'

/** Which collections a model searches, and for whom. */
export interface CollectionToolOptions {
  readonly collections: Collections
  /** Id of the account that the collections belong to. */
  readonly owner: string
  /** Their names. */
  readonly names: readonly string[]
  /** The one of the names that is left out while there is no such collection. @default none */
  readonly mayMiss?: string | undefined
  /** Called when it is left out. */
  readonly onMissing?: ((name: string) => void) | undefined
  /** The caller who pays for the embeddings of queries. */
  readonly caller: InnerCaller
}

const [USUAL_RESULTS, MOST_RESULTS] = [5, 20]

/**
 * Gives a tool with which a model searches collections; none without a name of a collection.
 *
 * @throws {SvcError} `not_found` for a collection that is not there
 */
export async function createCollectionTools(options: CollectionToolOptions): Promise<readonly ServerTool[]> {
  const { collections, caller } = options
  const found = await findStores(options)
  const names = found.map(({ name }) => name)
  const stores = found.map(({ store }) => store)
  if (names.length === 0) return []
  const tool: ServerTool = {
    name: 'search_collection',
    tool: 'search_collection',
    server: 'collections',
    description: `Searches documents by meaning and gives the parts that fit best. Collections: ${names.join(', ')}.`,
    inputSchema: {
      type: 'object',
      properties: {
        query: { type: 'string', description: 'What to look for, as a sentence or a few words.' },
        collection: { type: 'string', enum: [...names], description: 'One collection; all of them when left out.' },
        max_results: { type: 'integer', minimum: 1, maximum: MOST_RESULTS },
      },
      required: ['query'],
      additionalProperties: false,
    },
    hints: { readOnly: true, idempotent: true, destructive: false },
    approval: 'auto',
    async call(args, { signal }) {
      const { query, collection } = args
      if (typeof query !== 'string' || query.trim() === '') throw wrong('query: must be a text that is not empty')
      const chosen = collection === undefined ? stores : stores.filter((_, index) => names[index] === collection)
      if (chosen.length === 0) throw wrong(`collection: must be one of ${names.join(', ')}`)
      const hits = await collections.search(chosen, { query, count: readCount(args.max_results) }, { caller, signal })
      const results = hits.map(({ filename, score, text }) => ({ entry: filename, similarity: score, content: text }))
      return { content: [{ type: 'text', text: JSON.stringify(results) }], isError: false }
    },
  }
  return [tool]
}

async function findStores({
  collections,
  owner,
  names,
  mayMiss,
  onMissing,
}: CollectionToolOptions): Promise<readonly { readonly name: string; readonly store: DocumentStore }[]> {
  const found = await Promise.all(
    names.map(async (name) => {
      try {
        return [{ name, store: await collections.get(owner, name) }]
      } catch (error) {
        if (name !== mayMiss || !SvcError.is(error) || error.kind !== 'not_found') throw error
        onMissing?.(name)
        return []
      }
    }),
  )
  return found.flat()
}

function readCount(value: unknown): number {
  if (typeof value !== 'number' || !Number.isFinite(value)) return USUAL_RESULTS
  return Math.min(MOST_RESULTS, Math.max(1, Math.floor(value)))
}

function wrong(message: string): SvcError {
  return new SvcError('invalid_request', message)
}
