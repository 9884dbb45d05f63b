import type { Token } from 'node-llama-cpp'
import type { TokenBytes } from '../engine/token-bytes.ts'
import type { Choice } from '../engine/token-chooser.ts'

/** The parts of a model that converting tokens uses. */
export interface LogprobsModel {
  readonly tokenBytes: TokenBytes
}

/** A token in the compatible format. */
export interface LogprobEntry {
  readonly id: number
  /** Its text; bytes outside of whole characters become U+FFFD. */
  readonly token: string
  /** Natural logarithm of its probability. */
  readonly logprob: number
  readonly bytes: readonly number[]
}

/** Likelihoods of an answer or of a piece of it, in the compatible format. */
export interface LogprobsBody {
  readonly content: readonly (LogprobEntry & { readonly top_logprobs: readonly LogprobEntry[] })[]
}

/** Replaces the logarithm of probability 0, which JSON cannot express. */
export const LEAST_LOGPROB = -9999

/** Converts the likelihoods of tokens. */
export function toLogprobs(choices: readonly Choice[], { tokenBytes }: LogprobsModel): LogprobsBody {
  const spell = (token: Token, logprob = LEAST_LOGPROB): LogprobEntry => {
    const bytes = tokenBytes.of(token)
    return { id: token, token: bytes.toString(), logprob: Math.max(LEAST_LOGPROB, logprob), bytes: [...bytes] }
  }
  return {
    content: choices.map(({ token, logprob, top = [] }) => ({
      ...spell(token, logprob),
      top_logprobs: top.map((other) => spell(other.token, other.logprob)),
    })),
  }
}
