import type { ChatRequest } from '../core/request.ts'
import type { PromptMessage } from '../prompt/prompt-input.ts'
import type { AudioOperations } from './audio/audio-operations.ts'
import type { ImageOperations } from './images/image-operations.ts'
import type { OperationFigures } from './operation-figures.ts'
import type { Pooling } from './pool-tokens.ts'
import type { SlotOperations } from './slot-operations.ts'
import type { StoreOperations } from './store-operations.ts'

export type { OperationFigures } from './operation-figures.ts'

/** Input for one vector: a text, its tokens, or a conversation written as text. */
export type EmbedInput = string | readonly number[] | { readonly messages: readonly PromptMessage[] }

/** Inputs to turn into vectors. */
export interface EmbedRequest {
  readonly kind: 'embed'
  readonly inputs: readonly EmbedInput[]
  /** Length to which vectors are cut before they are normalised again. @default the model's own */
  readonly dimensions?: number | undefined
  /** Pooling of token vectors: done here, or by the backend with `backend`. @default the model's own setting */
  readonly pooling?: 'backend' | Pooling | undefined
  /** Whether a text that is longer than the model's context loses its end. @default it is refused */
  readonly truncates?: boolean | undefined
  /** Tokens after which the weight of a token has halved; for `decayed_mean`. @default the model's own, else 256 */
  readonly poolingHalfLifeTokens?: number | undefined
}

/** One vector for each input, in the order of the request. */
export interface EmbedResult extends OperationFigures {
  readonly vectors: readonly Float32Array[]
}

/** Documents to order by how well they answer a query. */
export interface RerankRequest {
  readonly kind: 'rerank'
  readonly query: string
  readonly documents: readonly string[]
  /** Maximum number of results, at least 1. @default all */
  readonly topN?: number | undefined
}

/** Best result first, ties in the order of the request; `index` points into the request's documents. */
export interface RerankResult extends OperationFigures {
  readonly totalTokens: number
  readonly ranking: readonly { readonly index: number; readonly score: number }[]
}

/** A text to cut into tokens. */
export interface TokenizeRequest {
  readonly kind: 'tokenize'
  readonly text: string
}

export interface TokenizeResult extends OperationFigures {
  readonly tokens: readonly number[]
}

/** Tokens to join into text. */
export interface DetokenizeRequest {
  readonly kind: 'detokenize'
  readonly tokens: readonly number[]
}

export interface DetokenizeResult extends OperationFigures {
  readonly text: string
}

/** A chat whose prompt is measured and not continued. */
export interface CountRequest {
  readonly kind: 'count'
  readonly chat: ChatRequest
}

export interface CountResult extends OperationFigures {
  readonly tokens: number
}

/** Continuations of a prompt to score by their likelihood. */
export interface ScoreRequest {
  readonly kind: 'score'
  readonly prompt: string
  readonly candidates: readonly string[]
  /** Whether the result has the log-probability of each token too. */
  readonly tokenLogprobs: boolean
  /** Whether sums are divided by the number of tokens. */
  readonly lengthNormalize: boolean
}

/** One score for each candidate, in the order of the request. */
export interface ScoreResult extends OperationFigures {
  readonly candidates: readonly CandidateScore[]
}

/** Likelihood of one continuation. */
export interface CandidateScore {
  /** Sum of the natural logarithms of its tokens' probabilities, at most 0. */
  readonly logProb: number
  /** The same divided by its number of tokens; absent when not requested. */
  readonly lengthNormalizedLogProb?: number | undefined
  readonly tokens: number
  readonly tokenLogprobs?: readonly { readonly token: string; readonly logprob: number }[] | undefined
}

/** A text to search for entities. */
export interface ClassifyRequest {
  readonly kind: 'classify'
  readonly text: string
  /** Entities below this score, in 0..1, are left out. */
  readonly minScore: number
}

/** An entity of a text. Offsets are UTF-8 bytes, half open. */
export interface ClassifiedEntity {
  readonly start: number
  readonly end: number
  readonly group: string
  /** Score from 0 to 1. */
  readonly score: number
}

export interface ClassifyResult extends OperationFigures {
  readonly entities: readonly ClassifiedEntity[]
}

/** Yes-or-no questions about one text. */
export interface DecideRequest {
  readonly kind: 'decide'
  readonly document: string
  readonly questions: readonly DecideQuestion[]
}

/** A question, with the criteria of its answer. */
export interface DecideQuestion {
  /** Names the answer. */
  readonly id: string
  readonly instruction: string
  readonly trueCriteria: string
  readonly falseCriteria: string
}

/** Probabilities of yes, 0 to 1, each independent of the others, as the backend gave them. */
export interface DecideResult extends OperationFigures {
  readonly answers: readonly { readonly id: string; readonly probability: number }[]
}

/** A question for the context size of the loaded model. */
export interface ContextSizeRequest {
  readonly kind: 'context-size'
}

export interface ContextSizeResult extends OperationFigures {
  /** 0 when the backend does not report it. */
  readonly tokens: number
}

/** Requests with one answer, and their results. */
export interface Operations extends AudioOperations, ImageOperations, SlotOperations, StoreOperations {
  readonly embed: { readonly request: EmbedRequest; readonly result: EmbedResult }
  readonly rerank: { readonly request: RerankRequest; readonly result: RerankResult }
  readonly tokenize: { readonly request: TokenizeRequest; readonly result: TokenizeResult }
  readonly detokenize: { readonly request: DetokenizeRequest; readonly result: DetokenizeResult }
  readonly count: { readonly request: CountRequest; readonly result: CountResult }
  readonly score: { readonly request: ScoreRequest; readonly result: ScoreResult }
  readonly decide: { readonly request: DecideRequest; readonly result: DecideResult }
  readonly classify: { readonly request: ClassifyRequest; readonly result: ClassifyResult }
  readonly 'context-size': { readonly request: ContextSizeRequest; readonly result: ContextSizeResult }
}

export type OperationKind = keyof Operations
export type OperationRequest<K extends OperationKind = OperationKind> = Operations[K]['request']
export type OperationResult<K extends OperationKind = OperationKind> = Operations[K]['result']
