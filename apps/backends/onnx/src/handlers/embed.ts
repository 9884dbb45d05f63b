import { type BackendHandlers, toEmbeddingResult } from '@svc/backend-kit'
import type { ModelHost } from '../model-host.ts'
import { checkTokens } from './tokenize.ts'

/** Embedding: the vectors of a text or of a list of tokens. */
export function createEmbedHandlers(host: ModelHost): Pick<BackendHandlers, 'embedding'> {
  return {
    embedding: async ({ ModelIdentity, EmbeddingTokens, Embeddings, Metadata }, { signal }) => {
      const model = host.use(ModelIdentity)
      checkTokens(model, EmbeddingTokens, 'EmbeddingTokens')
      const input = EmbeddingTokens.length > 0 ? EmbeddingTokens : Embeddings
      // Without the word the model's own setting counts.
      const truncates = Metadata.truncate === 'true' ? true : undefined
      return toEmbeddingResult(await model.embed(input, { signal, truncates }))
    },
  }
}
