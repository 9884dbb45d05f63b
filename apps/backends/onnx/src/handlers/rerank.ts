import type { BackendHandlers } from '@svc/backend-kit'
import { invalidRequest } from '../errors.ts'
import type { ModelHost } from '../model-host.ts'

const MAX_DOCUMENTS = 10_000

/** Rerank: best first. */
export function createRerankHandlers(host: ModelHost): Pick<BackendHandlers, 'rerank'> {
  return {
    rerank: async ({ ModelIdentity, query, documents, topN }, { signal }) => {
      const model = host.use(ModelIdentity)
      if (topN < 0) throw invalidRequest('top_n is below 0', 'top_n')
      if (documents.length > MAX_DOCUMENTS) throw invalidRequest(`more than ${MAX_DOCUMENTS} documents`, 'documents')
      const { scores, promptTokens } = await model.rank({ query, documents }, { signal })
      const ranked = scores
        .map((relevanceScore, index) => ({ index, text: documents[index] ?? '', relevanceScore }))
        .sort((a, b) => b.relevanceScore - a.relevanceScore || a.index - b.index)
      return {
        usage: { totalTokens: promptTokens, promptTokens },
        results: ranked.slice(0, topN > 0 ? topN : ranked.length),
      }
    },
  }
}
