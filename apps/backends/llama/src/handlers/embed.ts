import { EmbeddingLayout } from '@svc/backend-client/proto'
import type { BackendHandlers } from '@svc/backend-kit'
import type { ModelHost } from '../model-host.ts'

/** Embedding: one vector for a text or for a list of tokens. */
export function createEmbedHandlers(host: ModelHost): Pick<BackendHandlers, 'embedding'> {
  return {
    embedding: async (request, { signal }) => {
      const model = host.use(request.ModelIdentity)
      const tokens = model.tokenizer.toTokens(request.EmbeddingTokens, 'EmbeddingTokens')
      const { vector, promptTokens } = await model.embed(tokens.length > 0 ? tokens : request.Embeddings, { signal })
      return {
        embeddings: [...vector],
        tokens: 1,
        dim: vector.length,
        promptTokens,
        layout: EmbeddingLayout.EMBEDDING_LAYOUT_FINAL,
      }
    },
  }
}
