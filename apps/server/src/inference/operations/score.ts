import type { CandidateScore as BackendScore } from '@svc/backend-client/proto'
import { type ErrorKind, SvcError } from '@svc/errors'
import type { CandidateScore, ScoreRequest } from './operation.ts'
import type { OperationRunner } from './operation-runner.ts'

/** Kinds with a message for this operation. Other kinds describe the backend's process, and the caller acts on them. */
const REWORDED: ReadonlySet<ErrorKind> = new Set<ErrorKind>(['invalid_request', 'not_implemented', 'internal'])

/** Scores each candidate by how likely the model would continue the prompt with it. */
export const runScore: OperationRunner<'score'> = async (request, { client, model, signal }) => {
  const { prompt, candidates, tokenLogprobs, lengthNormalize } = request
  const reply = await client
    .score(
      {
        prompt,
        candidates: [...candidates],
        includeTokenLogprobs: tokenLogprobs,
        lengthNormalize,
        ModelIdentity: model.parameters.model ?? '',
      },
      { signal },
    )
    .catch((error: unknown) => {
      throw toScoreError(error)
    })
  const isUsable = reply.candidates.every(({ logProb }) => Number.isFinite(logProb))
  if (!isUsable || reply.candidates.length !== candidates.length) {
    throw new SvcError('internal', 'score call failed: the backend gave no usable scores', { code: 'score_failed' })
  }
  return { candidates: reply.candidates.map((score) => toScore(score, request)), promptTokens: 0 }
}

function toScore(
  { logProb, lengthNormalizedLogProb, numTokens, tokens }: BackendScore,
  request: ScoreRequest,
): CandidateScore {
  return {
    logProb,
    // computed here when the backend leaves it out
    lengthNormalizedLogProb: request.lengthNormalize
      ? lengthNormalizedLogProb || logProb / Math.max(1, numTokens)
      : undefined,
    tokens: Math.max(0, numTokens),
    tokenLogprobs: request.tokenLogprobs
      ? tokens.map((entry) => ({ token: entry.token, logprob: entry.logProb }))
      : undefined,
  }
}

function toScoreError(thrown: unknown): unknown {
  if (!SvcError.is(thrown) || !REWORDED.has(thrown.kind)) return thrown
  const word = thrown.kind === 'not_implemented' ? 'UNIMPLEMENTED: ' : ''
  const code = thrown.kind === 'internal' ? 'score_failed' : thrown.code
  return new SvcError(thrown.kind, `score call failed: ${word}${thrown.message}`, { code, cause: thrown })
}
