import { type BackendHandlers, toEmbeddingResult } from '@svc/backend-kit'
import type { ModelHost } from '../model-host.ts'

/** Embedding: the vectors of a text or of a list of tokens. */
export function createEmbedHandlers(host: ModelHost): Pick<BackendHandlers, 'embedding'> {
  return {
    embedding: async (request, { signal }) => {
      const model = host.use(request.ModelIdentity)
      const tokens = model.tokenizer.toTokens(request.EmbeddingTokens, 'EmbeddingTokens')
      const input = tokens.length > 0 ? tokens : request.Embeddings
      const truncates = request.Metadata.truncate === 'true'
      return toEmbeddingResult(await model.embed(input, { signal, truncates }))
    },
  }
}
