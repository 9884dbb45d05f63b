import type { CandidateScore, PartialMessage, ScoreRequest } from '@svc/backend-client/proto'
import type { BackendHandlers } from '@svc/backend-kit'
import { type CandidateLikelihood, sumLogprobs } from '../engine/score.ts'
import { invalidRequest } from '../errors.ts'
import type { ModelHost } from '../model-host.ts'
import type { LogprobsModel } from './logprobs.ts'

const MAX_CANDIDATES = 1024

export function createScoreHandlers(host: ModelHost): Pick<BackendHandlers, 'score'> {
  return {
    score: async (request, { signal }) => {
      const model = host.use(request.ModelIdentity)
      if (request.candidates.length > MAX_CANDIDATES) {
        throw invalidRequest(`more than ${MAX_CANDIDATES} candidates`, 'candidates')
      }
      const scored = await model.score(request, { signal })
      return { candidates: scored.candidates.map((candidate) => toScore(candidate, request, model)) }
    },
  }
}

function toScore(
  candidate: CandidateLikelihood,
  request: ScoreRequest,
  { tokenBytes }: LogprobsModel,
): PartialMessage<CandidateScore> {
  const logProb = sumLogprobs(candidate)
  return {
    logProb,
    numTokens: candidate.length,
    ...(request.lengthNormalize && { lengthNormalizedLogProb: candidate.length > 0 ? logProb / candidate.length : 0 }),
    ...(request.includeTokenLogprobs && {
      tokens: candidate.map(({ token, logprob }) => ({ token: tokenBytes.of(token).toString(), logProb: logprob })),
    }),
  }
}
