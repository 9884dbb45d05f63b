import type { PromptMessage } from '../prompt/prompt-input.ts'
import type { ChatRequest } from '../request.ts'
import type { Pooling } from './pool-tokens.ts'

/** What every operation reports beside its answer. */
export interface OperationFigures {
  /** Tokens that were read; 0 when the backend does not say. */
  readonly promptTokens: number
}

/** What becomes one vector: a text, its tokens, or a conversation written as text. */
export type EmbedInput = string | readonly number[] | { readonly messages: readonly PromptMessage[] }

/** Inputs to be turned into vectors. */
export interface EmbedRequest {
  readonly kind: 'embed'
  readonly inputs: readonly EmbedInput[]
  /** Length the vectors are cut to, then normalised again. @default the model's own */
  readonly dimensions?: number | undefined
  /** How vectors of single tokens become one: here, or with `backend` there. @default the model's own setting */
  readonly pooling?: 'backend' | Pooling | undefined
  /** Tokens after which a token's weight has halved; for `decayed_mean`. @default the model's own, else 256 */
  readonly poolingHalfLifeTokens?: number | undefined
}

/** One vector an input, in the order of the request. */
export interface EmbedResult extends OperationFigures {
  readonly vectors: readonly Float32Array[]
}

/** Documents to be ordered by how well they answer a query. */
export interface RerankRequest {
  readonly kind: 'rerank'
  readonly query: string
  readonly documents: readonly string[]
  /** Most results, at least 1. @default all */
  readonly topN?: number | undefined
}

/** Best first, ties in the order of the request; `index` points into the request's documents. */
export interface RerankResult extends OperationFigures {
  readonly totalTokens: number
  readonly ranking: readonly { readonly index: number; readonly score: number }[]
}

/** A text to be cut into tokens. */
export interface TokenizeRequest {
  readonly kind: 'tokenize'
  readonly text: string
}

export interface TokenizeResult extends OperationFigures {
  readonly tokens: readonly number[]
}

/** Tokens to be put together into text. */
export interface DetokenizeRequest {
  readonly kind: 'detokenize'
  readonly tokens: readonly number[]
}

export interface DetokenizeResult extends OperationFigures {
  readonly text: string
}

/** A chat whose prompt is to be measured, not continued. */
export interface CountRequest {
  readonly kind: 'count'
  readonly chat: ChatRequest
}

export interface CountResult extends OperationFigures {
  readonly tokens: number
}

/** Continuations of a prompt to be judged by how likely the model would write them. */
export interface ScoreRequest {
  readonly kind: 'score'
  readonly prompt: string
  readonly candidates: readonly string[]
  /** Whether each token's log-probability is wanted too. */
  readonly tokenLogprobs: boolean
  /** Whether sums are divided by the number of tokens. */
  readonly lengthNormalize: boolean
}

/** One judgement a candidate, in the order of the request. */
export interface ScoreResult extends OperationFigures {
  readonly candidates: readonly CandidateScore[]
}

/** How likely one continuation is. */
export interface CandidateScore {
  /** Sum of the natural logarithms of its tokens' probabilities, at most 0. */
  readonly logProb: number
  /** The same divided by its number of tokens; absent when it was not asked for. */
  readonly lengthNormalizedLogProb?: number | undefined
  readonly tokens: number
  readonly tokenLogprobs?: readonly { readonly token: string; readonly logprob: number }[] | undefined
}

/** A text whose entities are to be found. */
export interface ClassifyRequest {
  readonly kind: 'classify'
  readonly text: string
  /** Entities below this score, 0 to 1, are left out. */
  readonly minScore: number
}

/** An entity of a text. Offsets are UTF-8 bytes, half open. */
export interface ClassifiedEntity {
  readonly start: number
  readonly end: number
  readonly group: string
  /** 0 to 1. */
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

/** A question, and what makes its answer yes or no. */
export interface DecideQuestion {
  /** Names the answer. */
  readonly id: string
  readonly instruction: string
  readonly trueCriteria: string
  readonly falseCriteria: string
}

/** Probabilities of yes, 0 to 1, each for itself, as the backend gave them. */
export interface DecideResult extends OperationFigures {
  readonly answers: readonly { readonly id: string; readonly probability: number }[]
}

/** A question for the context size that the model is loaded with. */
export interface ContextSizeRequest {
  readonly kind: 'context-size'
}

export interface ContextSizeResult extends OperationFigures {
  /** 0 where the backend does not say. */
  readonly tokens: number
}

/** The requests with one answer, and their results. */
export interface Operations {
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
