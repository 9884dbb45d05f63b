import { SvcError } from '@svc/errors'
import { type RerankReply, rerankRequest } from '@svc/wire/openai'
import { limitItems } from '../../../inference/documents/limit-items.ts'
import { readBody } from '../../../inference/documents/read-body.ts'
import type { RerankResult } from '../../../inference/operations/operation.ts'
import { toOperationCall, type WireFormat } from '../../../inference/replies/wire-format.ts'

/** More documents than real requests have. */
const MAX_DOCUMENTS = 4096

/** The wire format of `POST /v1/rerank`. */
export const rerankFormat: WireFormat = {
  async read(document, { signal }) {
    limitItems(document, 'documents', MAX_DOCUMENTS)
    const body = await readBody(rerankRequest, document, signal)
    if (body.query === '') throw emptyQuery()
    const documents = body.documents.map((each) => (typeof each === 'string' ? each : each.text))
    const shown = (body.return_documents ?? true) ? documents : undefined
    return toOperationCall<'rerank'>(
      { kind: 'rerank', query: body.query, documents, topN: toTopN(body.top_n) },
      (result, { requestId, model }): RerankReply => {
        const { usage, results, meta } = toRanking(result, shown)
        return { id: requestId, model, usage, results, meta }
      },
    )
  },
}

/** @param documents texts to return beside their scores; undefined for none */
function toRanking(
  { ranking, promptTokens, totalTokens }: RerankResult,
  documents: readonly string[] | undefined,
): Pick<RerankReply, 'usage' | 'results' | 'meta'> {
  return {
    usage: { total_tokens: totalTokens, prompt_tokens: promptTokens },
    results: ranking.map(({ index, score }) => ({
      index,
      ...(documents === undefined ? {} : { document: { text: documents[index] ?? '' } }),
      relevance_score: score,
    })),
    meta: { tokens: { input_tokens: promptTokens } },
  }
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
