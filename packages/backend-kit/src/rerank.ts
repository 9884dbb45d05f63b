import { invalidRequest } from './errors.ts'
import type { BackendHandlers } from './handlers.ts'

/** A query and documents to compare with it. */
export interface RankRequest {
  readonly query: string
  readonly documents: readonly string[]
}

/** Scores of documents for a query. */
export interface Ranked {
  /** In the order of the documents, higher is better; for example 0 to 1 from a rank head, -1 to 1 from vectors. */
  readonly scores: readonly number[]
  /** Tokens read. */
  readonly promptTokens: number
}

/** A model that compares texts. */
export interface Ranker {
  rank(request: RankRequest, options: { readonly signal: AbortSignal }): Promise<Ranked>
}

const MAX_DOCUMENTS = 10_000

/**
 * Creates the Rerank handler for a model: results come best first, equal scores in the order of the documents, at most
 * `top_n` of them (0: all).
 *
 * @param models finds the model of a call, such as the host of {@link createModelHost} @throws `invalid_request` for
 *   more than 10,000 documents or a `top_n` below 0
 */
export function createRerankHandlers(models: {
  use(identity: string): Ranker
}): Required<Pick<BackendHandlers, 'rerank'>> {
  return {
    rerank: async ({ ModelIdentity, query, documents, topN }, { signal }) => {
      const model = models.use(ModelIdentity)
      if (topN < 0) throw invalidRequest('top_n is below 0', 'top_n')
      if (documents.length > MAX_DOCUMENTS) throw invalidRequest(`more than ${MAX_DOCUMENTS} documents`, 'documents')
      const { scores, promptTokens } = await model.rank({ query, documents }, { signal })
      const results = documents.map((text, index) => ({ index, text, relevanceScore: scores[index] ?? 0 }))
      const sorted = results.sort((a, b) => b.relevanceScore - a.relevanceScore || a.index - b.index)
      return {
        usage: { totalTokens: promptTokens, promptTokens },
        results: topN > 0 ? sorted.slice(0, topN) : sorted,
      }
    },
  }
}
