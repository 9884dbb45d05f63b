import * as z from 'zod'
import { endAtFirstFault } from '../first-fault.ts'

/** Body of `POST /api/score` (§4.9): asks for the likelihood of each candidate as a continuation of the prompt. */
export const scoreRequest = z.looseObject({
  model: z.string().nullish(),
  prompt: z.string(),
  candidates: endAtFirstFault(z.array(z.string())),
  /** Also divides each log-probability by the tokens of its candidate. @default false */
  length_normalize: z.boolean().nullish(),
  /** Also gives every token with its own log-probability. @default false */
  include_token_logprobs: z.boolean().nullish(),
})

/** One candidate; log-probabilities are natural logarithms, at most 0. */
export const candidateScore = z.looseObject({
  /** Sum over the tokens of the candidate. */
  log_prob: z.number(),
  /** Only with `length_normalize`. */
  length_normalized_log_prob: z.number().exactOptional(),
  num_tokens: z.int().min(0),
  /** Only with `include_token_logprobs`. */
  tokens: z.array(z.looseObject({ token: z.string(), log_prob: z.number() })).exactOptional(),
})

/** Reply of `POST /api/score`, candidates in the order of the request. */
export const scoreReply = z.looseObject({ model: z.string(), candidates: z.array(candidateScore) })

/** Body of `POST /api/score`. */
export type ScoreRequest = z.infer<typeof scoreRequest>
/** One candidate with its likelihood. */
export type CandidateScore = z.infer<typeof candidateScore>
/** Reply of `POST /api/score`. */
export type ScoreReply = z.infer<typeof scoreReply>
