import { EmbeddingLayout } from '@svc/backend-client/proto'
import type { BackendHandlers } from '@svc/backend-kit'
import { SvcError } from '@svc/errors'
import { toCall } from '../call.ts'
import { toConversation } from '../conversation.ts'
import type { ServiceHost } from '../host.ts'

type TextHandlers = Pick<BackendHandlers, 'embedding' | 'rerank' | 'tokenizeString' | 'detokenize' | 'score'>

/** Embedding, Rerank, TokenizeString, Detokenize and Score. */
export function createTextHandlers(host: ServiceHost): TextHandlers {
  return {
    embedding: async (request, context) => {
      const tokens = request.EmbeddingTokens
      const service = host.use(request.ModelIdentity)
      const call = toCall(context)
      const embedWhole = () => service.embed(tokens.length > 0 ? tokens : request.Embeddings, call)
      const cuts = request.Metadata.truncate === 'true' && tokens.length === 0
      const { embedding, promptTokens } = cuts
        ? await service.embedStart(request.Embeddings, call).catch((error: unknown) => {
            if (!SvcError.is(error) || error.kind !== 'not_implemented') throw error
            return embedWhole()
          })
        : await embedWhole()
      return {
        embeddings: [...embedding],
        tokens: 1,
        dim: embedding.length,
        promptTokens,
        layout: EmbeddingLayout.EMBEDDING_LAYOUT_FINAL,
      }
    },
    rerank: async ({ ModelIdentity, query, documents, topN }, context) => {
      const ranked = await host.use(ModelIdentity).rerank({ query, documents, topN }, toCall(context))
      const { results, totalTokens, promptTokens } = ranked
      return { usage: { totalTokens, promptTokens }, results: [...results] }
    },
    tokenizeString: async (request, context) => {
      const service = host.use(request.ModelIdentity)
      // For a conversation an instance returns the number of tokens, and no ids.
      if (request.Prompt === '' && request.Messages.length > 0) {
        return { length: await service.countTokens(toConversation(request), toCall(context)) }
      }
      const tokens = await service.tokenize(request.Prompt, toCall(context))
      return { length: tokens.length, tokens: [...tokens] }
    },
    detokenize: async ({ tokens }, context) => ({ content: await host.use('').detokenize(tokens, toCall(context)) }),
    score: async (request, context) => {
      const { prompt, candidates, lengthNormalize, includeTokenLogprobs } = request
      const input = { prompt, candidates, lengthNormalize, includeTokenLogprobs }
      const scored = await host.use(request.ModelIdentity).score(input, toCall(context))
      return { candidates: scored.map(({ tokens, ...candidate }) => ({ ...candidate, tokens: [...tokens] })) }
    },
  }
}
