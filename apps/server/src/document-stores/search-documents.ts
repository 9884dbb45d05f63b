import { and, eq, inArray, or } from 'drizzle-orm'
import type { Queries } from '../db/queries.ts'
import type { InnerCaller } from '../inference/core/inner-context.ts'
import type { AttributeFilter } from './attribute-filter.ts'
import type { Attributes, DocumentStore } from './document-store.ts'
import type { TextEmbedder } from './embed-texts.ts'
import { type FoundChunk, findChunks } from './loaded-store.ts'
import type { LoadedStores } from './loaded-stores.ts'

/** A search in stores. */
export interface DocumentSearch {
  /** Each chunk counts by the query that it is nearest to. */
  readonly queries: readonly string[]
  /** Most results, 1 to 50. */
  readonly count: number
  /** Least score of a result, 0 to 1. @default 0 */
  readonly threshold?: number | undefined
  /** @default each file passes */
  readonly filter?: AttributeFilter | undefined
}

/** A chunk that a search found. */
export interface DocumentHit {
  readonly storeId: string
  readonly fileId: string
  readonly filename: string
  /** Place among the chunks of the file, from 0. */
  readonly chunk: number
  /** Places in the text of the file, UTF-16 code units. */
  readonly start: number
  readonly end: number
  readonly text: string
  /** Cosine of query and chunk; 0 where it is below. */
  readonly score: number
  readonly attributes: Attributes
}

/** Parts of {@link searchDocuments}. */
export interface SearchParts {
  readonly queries: Queries
  readonly loaded: LoadedStores
  readonly embedder: TextEmbedder
}

interface Candidate extends FoundChunk {
  readonly storeId: string
}

/**
 * Searches stores for the caller, who may read them. The queries are embedded once for each model.
 *
 * @returns the best chunk first
 * @throws {SvcError} every refusal of an inference request
 */
export async function searchDocuments(
  stores: readonly DocumentStore[],
  search: DocumentSearch,
  { caller, signal }: { readonly caller: InnerCaller; readonly signal: AbortSignal },
  { queries, loaded, embedder }: SearchParts,
): Promise<readonly DocumentHit[]> {
  const { count, threshold = 0, filter = () => true } = search
  const vectors = new Map<string, readonly Float32Array[]>()
  const best = new Map<string, Candidate>()
  for (const store of stores) {
    // A store without a model, or without vectors, has nothing to find.
    if (store.model === '' || store.dimensions === 0) continue
    const known = vectors.get(store.model)
    const asked = known ?? (await embedder.embed(search.queries, { model: store.model, caller, signal }))
    vectors.set(store.model, asked)
    const opened = await loaded.open(store, { signal })
    for (const vector of asked) {
      for (const chunk of await findChunks(opened, vector, { filter, count, signal })) {
        const key = `${store.id}/${chunk.file.run}/${chunk.number}`
        const before = best.get(key)
        if (before === undefined || before.similarity < chunk.similarity) {
          best.set(key, { ...chunk, storeId: store.id })
        }
      }
    }
  }
  const candidates = [...best.values()]
    .filter(({ similarity }) => toScore(similarity) >= threshold)
    .sort((one, other) => other.similarity - one.similarity)
    .slice(0, count)
  return readHits(candidates, queries)
}

function toScore(similarity: number): number {
  return Math.max(0, Math.min(1, similarity))
}

/** Reads the texts. A chunk that was removed meanwhile is left out. */
async function readHits(candidates: readonly Candidate[], queries: Queries): Promise<readonly DocumentHit[]> {
  if (candidates.length === 0) return []
  const storeIds = [...new Set(candidates.map(({ storeId }) => storeId))]
  const rows = await queries.rows((db, { documentChunks: chunks }) =>
    db
      .select({
        run: chunks.run,
        number: chunks.number,
        text: chunks.text,
        start: chunks.start,
        end: chunks.end,
      })
      .from(chunks)
      .where(
        and(
          inArray(chunks.storeId, storeIds),
          or(
            ...candidates.map(({ file, number }) =>
              and(eq(chunks.fileId, file.id), eq(chunks.run, file.run), eq(chunks.number, number)),
            ),
          ),
        ),
      ),
  )
  const texts = new Map(rows.map((row) => [`${row.run}/${row.number}`, row]))
  return candidates.flatMap(({ storeId, file, number, similarity }) => {
    const row = texts.get(`${file.run}/${number}`)
    if (row === undefined) return []
    const { id: fileId, filename, attributes } = file
    const { text, start, end } = row
    return [{ storeId, fileId, filename, chunk: number, start, end, text, score: toScore(similarity), attributes }]
  })
}
