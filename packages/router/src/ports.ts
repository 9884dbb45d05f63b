import type { Vector } from './vector/ports.ts'

/** Options of a call of a port. Every port rejects with the signal's reason once the signal is aborted. */
export interface CallOptions {
  readonly signal: AbortSignal
  /** For whom the call is made. Comes from the user of the package, and goes to the ports as it is. */
  readonly caller?: unknown
}

/** Options of a call of this package. @default the call never ends early */
export interface OptionalSignal {
  readonly signal?: AbortSignal | undefined
  /** For whom the call is made: the ports get it as it is. */
  readonly caller?: unknown
}

/** The context of a model, and a way to count tokens. */
export interface TokenBudget {
  /** Tokens of prompt and answer together, or of one batch where that is less. */
  readonly contextSize: number
  /** Tokens of a text. */
  countTokens(text: string, options: CallOptions): Promise<number>
}

/** The turns of a prompt as a chat template takes them. */
export interface PromptTurns {
  readonly system: string
  readonly user: string
}

/** Writes the prompt of a classifier for its model. */
export interface PromptTemplate {
  /** The whole prompt, up to where the answer begins. */
  render(turns: PromptTurns): string
  /** The token that ends a turn, such as `<|im_end|>`. Empty where there is none. */
  readonly turnEnd: string
}

/** A prompt and the continuations whose probability is wanted. */
export interface ScoreRequest {
  readonly prompt: string
  readonly continuations: readonly string[]
  /** Bytes of UTF-8 at the start of the prompt that are the same in every request. */
  readonly stablePrefixBytes: number
}

/** The probability of one continuation. */
export interface ContinuationScore {
  /** Sum of the natural logarithms of the probabilities of its tokens; minus infinity where one is impossible. */
  readonly logProbability: number
  /** Number of tokens of the continuation. */
  readonly tokenCount: number
}

/** A model that may have to be loaded before it answers. */
export interface PreparedModel {
  /**
   * Resolves once the model can answer. The wait does not count for the time limit of a classification, and the model
   * ends it by itself. A rejection fails the classification. @default the model can answer at once
   */
  readonly prepare?: ((options: CallOptions) => Promise<void>) | undefined
}

/** A language model that scores continuations. */
export interface Scorer extends PreparedModel {
  /** One score a continuation, in their order. */
  score(request: ScoreRequest, options: CallOptions): Promise<readonly ContinuationScore[]>
  /** @default ChatML */
  readonly template?: PromptTemplate | undefined
  /** @default prompts are only cut to a fixed length */
  readonly tokens?: TokenBudget | undefined
}

/** The relevance of one document. */
export interface RerankScore {
  /** Its place in the request. */
  readonly index: number
  readonly score: number
}

/** A model that ranks documents by a query. */
export interface Reranker extends PreparedModel {
  rerank(
    request: { readonly query: string; readonly documents: readonly string[] },
    options: CallOptions,
  ): Promise<readonly RerankScore[]>
  readonly tokens?: TokenBudget | undefined
}

/** A model that makes vectors of texts. */
export interface Embedder extends PreparedModel {
  /** One vector a text, in their order, all of one length. */
  embed(texts: readonly string[], options: CallOptions): Promise<readonly Vector[]>
  readonly tokens?: TokenBudget | undefined
}

/** A yes-or-no question about a prompt. */
export interface DecisionQuestion {
  /** `p0`, `p1`, … in the order of the policies. */
  readonly id: string
  readonly label: string
  /** When the answer is yes. */
  readonly whenTrue: string
  /** When the answer is no. */
  readonly whenFalse: string
}

/** The probability that the answer to a question is yes. */
export interface DecisionAnswer {
  readonly id: string
  readonly probability: number
}

/** A model that answers yes-or-no questions with probabilities, each for itself. */
export interface DecisionModel extends PreparedModel {
  /** Exactly one answer a question, in any order. */
  decide(
    request: { readonly prompt: string; readonly questions: readonly DecisionQuestion[] },
    options: CallOptions,
  ): Promise<readonly DecisionAnswer[]>
}

/** Says whether a name is a model or a router, so that a router never picks a router or a missing model. */
export interface ModelDirectory {
  find(name: string): 'model' | 'router' | 'missing'
}

/** Time. */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number
  /** Milliseconds since some moment; never goes back. */
  monotonic(): number
  /** Resolves after `ms` milliseconds; rejects with the signal's reason when it aborts first. */
  sleep(ms: number, options: { readonly signal: AbortSignal }): Promise<void>
}

/** Receives warnings that nobody waits for. Fields never hold prompts or texts of a corpus. */
export interface Logger {
  warn(fields: Readonly<Record<string, unknown>>, message: string): void
}
