/** Why a choice ended. */
export type FinishReason = 'stop' | 'length' | 'tool_calls' | 'content_filter'

/** One token with its log-probability and the likeliest alternatives, as the compatible format writes it. */
export interface TokenLogprob {
  readonly token: string
  /** Natural logarithm, at most 0. */
  readonly logprob: number
  /** UTF-8 bytes of the token, when the backend knows them. */
  readonly bytes: readonly number[] | null
  readonly top_logprobs: readonly Omit<TokenLogprob, 'top_logprobs'>[]
}

/** Figures of one prediction, all choices together. */
export interface Usage {
  readonly promptTokens: number
  readonly completionTokens: number
  /** Milliseconds, as the backend reports them; 0 when it does not. */
  readonly promptMs: number
  readonly generationMs: number
}

/**
 * What a prediction yields, in any wire format. A choice's text, its reasoning and the arguments of each of its tool
 * calls are lanes: the order inside a lane is the order of the text; `choice-end` is the last event of a choice,
 * `usage` the last of all.
 */
export type PredictionEvent =
  | {
      readonly type: 'text-delta'
      readonly choice: number
      readonly text: string
      readonly logprobs?: readonly TokenLogprob[] | undefined
    }
  | { readonly type: 'reasoning-delta'; readonly choice: number; readonly text: string }
  | {
      readonly type: 'tool-call-start'
      readonly choice: number
      readonly index: number
      readonly id: string
      readonly name: string
    }
  | { readonly type: 'tool-call-delta'; readonly choice: number; readonly index: number; readonly arguments: string }
  | {
      readonly type: 'choice-end'
      readonly choice: number
      readonly finishReason: FinishReason
      /** The text at which the choice ended as `stop`, where its backend says so. */
      readonly stopText?: string | undefined
    }
  | { readonly type: 'usage'; readonly usage: Usage }

/**
 * The figures of a prediction so far: before its first event, and whenever they have changed, so that one that ends early
 * is counted too. No format has an event for it.
 */
export interface PredictionProgress {
  readonly type: 'progress'
  readonly usage: Usage
}

/** Something that is wrong with a prediction that is delivered all the same: told beside the reply, before its end. */
export interface PredictionWarning {
  readonly type: 'warning'
  readonly code: 'answer_form_mismatch'
  /** What is wrong, in a sentence for the client: keys of the answer may be in it. */
  readonly message: string
}

/** What an executor yields. */
export type PredictionStep = PredictionEvent | PredictionProgress | PredictionWarning

/** The usage of a prediction of which nothing is known yet. */
export const NO_USAGE: Usage = { promptTokens: 0, completionTokens: 0, promptMs: 0, generationMs: 0 }
