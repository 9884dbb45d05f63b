import type { BackendHandlers } from '@svc/backend-kit'
import { invalidRequest } from '../errors.ts'
import type { ModelHost } from '../model-host.ts'

const MAX_DOCUMENTS = 10_000

/** Rerank: best first. */
export function createRerankHandlers(host: ModelHost): Pick<BackendHandlers, 'rerank'> {
  return {
    rerank: async (request, { signal }) => {
      const model = host.use(request.ModelIdentity)
      const { documents, topN } = request
      if (topN < 0) throw invalidRequest('top_n is below 0', 'top_n')
      if (documents.length > MAX_DOCUMENTS) throw invalidRequest(`more than ${MAX_DOCUMENTS} documents`, 'documents')
      const { scores, promptTokens } = await model.rank(request, { signal })
      const results = documents.map((text, index) => ({ index, text, relevanceScore: scores[index] ?? 0 }))
      const sorted = results.sort((a, b) => b.relevanceScore - a.relevanceScore || a.index - b.index)
      return {
        usage: { totalTokens: promptTokens, promptTokens },
        results: topN > 0 ? sorted.slice(0, topN) : sorted,
      }
    },
  }
}
