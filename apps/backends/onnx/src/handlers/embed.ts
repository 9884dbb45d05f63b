import { EmbeddingLayout } from '@svc/backend-client/proto'
import type { BackendHandlers } from '@svc/backend-kit'
import type { ModelHost } from '../model-host.ts'
import { checkTokens } from './tokenize.ts'

/** Embedding: the vectors of a text or of a list of tokens. */
export function createEmbedHandlers(host: ModelHost): Pick<BackendHandlers, 'embedding'> {
  return {
    embedding: async ({ ModelIdentity, EmbeddingTokens, Embeddings }, { signal }) => {
      const model = host.use(ModelIdentity)
      checkTokens(model, EmbeddingTokens, 'EmbeddingTokens')
      const input = EmbeddingTokens.length > 0 ? EmbeddingTokens : Embeddings
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
