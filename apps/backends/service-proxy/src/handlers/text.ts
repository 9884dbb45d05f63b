import { EmbeddingLayout } from '@svc/backend-client/proto'
import type { BackendHandlers } from '@svc/backend-kit'
import type { ServiceHost } from '../host.ts'

type TextHandlers = Pick<BackendHandlers, 'embedding' | 'rerank' | 'tokenizeString' | 'detokenize' | 'score'>

/** Embedding, Rerank, TokenizeString, Detokenize and Score. */
export function createTextHandlers(host: ServiceHost): TextHandlers {
  return {
    embedding: async (request, { signal }) => {
      const tokens = request.EmbeddingTokens
      const input = tokens.length > 0 ? tokens : request.Embeddings
      const { embedding, promptTokens } = await host.use(request.ModelIdentity).embed(input, { signal })
      return {
        embeddings: [...embedding],
        tokens: 1,
        dim: embedding.length,
        promptTokens,
        layout: EmbeddingLayout.EMBEDDING_LAYOUT_FINAL,
      }
    },
    rerank: async ({ ModelIdentity, query, documents, topN }, { signal }) => {
      const ranked = await host.use(ModelIdentity).rerank({ query, documents, topN }, { signal })
      const { results, totalTokens, promptTokens } = ranked
      return { usage: { totalTokens, promptTokens }, results: [...results] }
    },
    tokenizeString: async ({ ModelIdentity, Prompt }, { signal }) => {
      const tokens = await host.use(ModelIdentity).tokenize(Prompt, { signal })
      return { length: tokens.length, tokens: [...tokens] }
    },
    detokenize: async ({ tokens }, { signal }) => ({ content: await host.use('').detokenize(tokens, { signal }) }),
    score: async (request, { signal }) => {
      const { prompt, candidates, lengthNormalize, includeTokenLogprobs } = request
      const input = { prompt, candidates, lengthNormalize, includeTokenLogprobs }
      const scored = await host.use(request.ModelIdentity).score(input, { signal })
      return { candidates: scored.map(({ tokens, ...candidate }) => ({ ...candidate, tokens: [...tokens] })) }
    },
  }
}
