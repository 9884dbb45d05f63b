import { SvcError } from '@svc/errors'
import { type ScoreReply, scoreRequest } from '@svc/wire/native'
import { limitItems } from '../../../inference/documents/limit-items.ts'
import { readBody } from '../../../inference/documents/read-body.ts'
import type { CandidateScore } from '../../../inference/operations/operation.ts'
import { toOperationCall, type WireFormat } from '../../../inference/replies/wire-format.ts'

/** More candidates than real requests have. */
const MAX_CANDIDATES = 1024

/** The wire format of `POST /api/score`. */
export const scoreFormat: WireFormat = {
  async read(document, { signal }) {
    limitItems(document, 'candidates', MAX_CANDIDATES)
    const body = await readBody(scoreRequest, document, signal)
    if (body.candidates.length === 0) {
      throw new SvcError('invalid_request', 'candidates must be non-empty', {
        code: 'no_candidates',
        details: { param: 'candidates' },
      })
    }
    return toOperationCall<'score'>(
      {
        kind: 'score',
        prompt: body.prompt,
        candidates: body.candidates,
        lengthNormalize: body.length_normalize ?? false,
        tokenLogprobs: body.include_token_logprobs ?? false,
      },
      ({ candidates }, { model }): ScoreReply => ({ model, candidates: candidates.map(toWire) }),
    )
  },
}

function toWire({
  logProb,
  lengthNormalizedLogProb,
  tokens,
  tokenLogprobs,
}: CandidateScore): ScoreReply['candidates'][number] {
  return {
    log_prob: logProb,
    ...(lengthNormalizedLogProb === undefined ? {} : { length_normalized_log_prob: lengthNormalizedLogProb }),
    num_tokens: tokens,
    ...(tokenLogprobs === undefined
      ? {}
      : { tokens: tokenLogprobs.map(({ token, logprob }) => ({ token, log_prob: logprob })) }),
  }
}
