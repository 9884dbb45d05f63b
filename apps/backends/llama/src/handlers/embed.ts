import { EmbeddingLayout } from '@svc/backend-client/proto'
import type { BackendHandlers } from '@svc/backend-kit'
import type { ModelHost } from '../model-host.ts'

/** Embedding: the vectors of a text or of a list of tokens. */
export function createEmbedHandlers(host: ModelHost): Pick<BackendHandlers, 'embedding'> {
  return {
    embedding: async (request, { signal }) => {
      const model = host.use(request.ModelIdentity)
      const tokens = model.tokenizer.toTokens(request.EmbeddingTokens, 'EmbeddingTokens')
      const input = tokens.length > 0 ? tokens : request.Embeddings
      const { vectors, perToken, promptTokens } = await model.embed(input, { signal })
      return {
        embeddings: vectors.flatMap((vector) => Array.from(vector)),
        tokens: vectors.length,
        dim: vectors[0]?.length ?? 0,
        promptTokens,
        layout: perToken ? EmbeddingLayout.EMBEDDING_LAYOUT_PER_TOKEN : EmbeddingLayout.EMBEDDING_LAYOUT_FINAL,
      }
    },
  }
}
