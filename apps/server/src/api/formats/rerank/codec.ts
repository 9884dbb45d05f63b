import { SvcError } from '@svc/errors'
import { type RerankReply, rerankRequest } from '@svc/wire/openai'
import type { OperationCodec } from '../../../inference/codec.ts'
import { limitItems } from '../../../inference/limit-items.ts'
import type { RerankRequest } from '../../../inference/operations/operation.ts'
import { readBody } from '../../../inference/read-body.ts'

/** A rerank request with what only its own format asks for. */
interface CompatibleRerankRequest extends RerankRequest {
  readonly returnDocuments: boolean
}

/** More documents than anybody ranks at once. */
const MAX_DOCUMENTS = 4096

/** The two ends of `POST /v1/rerank`. */
export const rerankCodec: OperationCodec<'rerank', CompatibleRerankRequest> = {
  operation: 'rerank',
  async parse(document, { signal }) {
    limitItems(document, 'documents', MAX_DOCUMENTS)
    const body = await readBody(rerankRequest, document, signal)
    if (body.query === '') throw emptyQuery()
    return {
      kind: 'rerank',
      query: body.query,
      documents: body.documents.map((each) => (typeof each === 'string' ? each : each.text)),
      topN: toTopN(body.top_n),
      returnDocuments: body.return_documents ?? true,
    }
  },
  reply({ documents, returnDocuments }, { ranking, promptTokens, totalTokens }, facts): RerankReply {
    return {
      id: facts.requestId,
      model: facts.model,
      usage: { total_tokens: totalTokens, prompt_tokens: promptTokens },
      results: ranking.map(({ index, score }) => ({
        index,
        ...(returnDocuments ? { document: { text: documents[index] ?? '' } } : {}),
        relevance_score: score,
      })),
      meta: { tokens: { input_tokens: promptTokens } },
    }
  },
}

function emptyQuery(): SvcError {
  const message = 'query - should not be empty'
  return new SvcError('invalid_request', message, { code: 'empty_query', details: { param: 'query' } })
}

function toTopN(topN: number | null | undefined): number | undefined {
  if (topN == null || topN >= 1) return topN ?? undefined
  throw new SvcError('unprocessable', 'top_n - should be greater than or equal to 1', {
    code: 'invalid_top_n',
    details: { param: 'top_n' },
  })
}
