import type { LlamaContext, LlamaEmbeddingContext, LlamaModel, Token } from 'node-llama-cpp'
import { LlamaError } from '../errors.ts'
import type { Runtime } from './runtime.ts'

/** Position of the scores after one token of the last batch. */
export type LogitIndex = number

/** Configuration of a sampler; absent fields are off. */
export interface NativeSamplerConfig {
  readonly temperature: number
  readonly minP?: number
  readonly topK?: number
  readonly topP?: number
  readonly seed?: number
  readonly repeatPenalty?: number
  readonly repeatPenaltyMaxTokens?: number
  readonly repeatPenaltyTokens?: Uint32Array
  readonly repeatPenaltyPresencePenalty?: number
  readonly repeatPenaltyFrequencyPenalty?: number
  readonly tokenBiasKeys?: Uint32Array
  readonly tokenBiasValues?: Float32Array
  readonly grammarEvaluationState?: NativeGrammarState
}

/** Chooses tokens; remembers its earlier choices. */
export interface NativeSampler {
  applyConfig(config: NativeSamplerConfig): void
  dispose(): void
}

/** A parsed grammar. */
export interface NativeGrammar {
  isTextCompatible(text: string): boolean
}

/** Progress of a text in a grammar. */
export interface NativeGrammarState {
  readonly brand?: 'grammar-state'
}

/**
 * Scores to return beside the choice: of these tokens; whether of the highest, the lowest and the chosen one; and of
 * this many of the highest. The flag for the highest has no effect: the engine ignores it.
 */
export type NativeLogitFilter = readonly [readonly Token[], boolean, boolean, boolean, number]

/** Choice, probabilities, confidence, pairs of token and score, and the sum of all weights relative to the highest. */
export type NativeSample = readonly [
  token: Token | -1,
  probabilities: readonly number[] | undefined,
  confidence: number | undefined,
  logits: readonly number[] | undefined,
  totalWeight: number | undefined,
]

/** The native context. Only {@link decodeBatch} and the files may run beside {@link sampleToken}. */
export interface NativeContext {
  initBatch(size: number): void
  addToBatch(sequence: number, position: number, tokens: Uint32Array, outputs: Uint32Array): Uint32Array
  decodeBatch(): Promise<void>
  sampleToken(index: LogitIndex, sampler: NativeSampler): Promise<Token | -1>
  sampleToken(
    index: LogitIndex,
    sampler: NativeSampler,
    probabilities: false,
    confidence: false,
    logits: NativeLogitFilter,
    totalWeight: boolean,
  ): Promise<NativeSample>
  disposeSequence(sequence: number): void
  removeTokenCellsFromSequence(sequence: number, start: number, end: number): boolean
  shiftSequenceTokenCells(sequence: number, start: number, end: number, delta: number): void
  getSequenceKvCacheMinPosition(sequence: number): number
  getEmbedding(tokens: number): Float64Array
  saveSequenceStateToFile(file: string, sequence: number, tokens: Uint32Array): Promise<number>
  loadSequenceStateFromFile(file: string, sequence: number, maxTokens: number): Promise<Uint32Array>
}

/** Factories on the native level of a model. */
export interface Native {
  createSampler(): NativeSampler
  /** @throws Error for an invalid grammar */
  createGrammar(text: string, rootRule: string): NativeGrammar
  createGrammarState(grammar: NativeGrammar): NativeGrammarState
  cloneGrammarState(state: NativeGrammarState): NativeGrammarState
  acceptToken(state: NativeGrammarState, token: Token): void
  canBeNext(state: NativeGrammarState, token: Token): boolean
}

interface Bindings {
  readonly AddonSampler: {
    new (model: unknown): NativeSampler
    acceptGrammarEvaluationStateToken(state: NativeGrammarState, token: Token): void
    canBeNextTokenForGrammarEvaluationState(state: NativeGrammarState, token: Token): boolean
  }
  readonly AddonGrammar: new (text: string, options: { addonExports: Bindings; rootRuleName: string }) => NativeGrammar
  readonly AddonGrammarEvaluationState: {
    new (model: unknown, grammar: NativeGrammar): NativeGrammarState
    new (state: NativeGrammarState): NativeGrammarState
  }
}

/**
 * Opens the native layer below the library's classes; only this file knows it. The classes cannot choose a token under
 * a grammar and also report its probability, nor keep several sequences in step. The version is pinned, and loading a
 * model checks for every used member.
 */
export function openNative(runtime: Runtime, llamaModel: LlamaModel): Native {
  const bindings = readPart<Bindings>(runtime.llama, '_bindings', ['AddonSampler', 'AddonGrammar'])
  const model = readPart<object>(llamaModel, '_model', ['tokenize'])
  return {
    createSampler: () => new bindings.AddonSampler(model),
    createGrammar: (text, rootRule) =>
      new bindings.AddonGrammar(text, { addonExports: bindings, rootRuleName: rootRule }),
    createGrammarState: (grammar) => new bindings.AddonGrammarEvaluationState(model, grammar),
    cloneGrammarState: (state) => new bindings.AddonGrammarEvaluationState(state),
    acceptToken: (state, token) => bindings.AddonSampler.acceptGrammarEvaluationStateToken(state, token),
    canBeNext: (state, token) => bindings.AddonSampler.canBeNextTokenForGrammarEvaluationState(state, token),
  }
}

/** Opens the native layer of a context. */
export function openNativeContext(context: LlamaContext): NativeContext {
  return readPart<NativeContext>(context, '_ctx', ['decodeBatch', 'sampleToken', 'saveSequenceStateToFile'])
}

/** Opens the native layer of a context for embeddings. */
export function openNativeEmbeddingContext(context: LlamaEmbeddingContext): NativeContext {
  return openNativeContext(readPart<LlamaContext>(context, '_llamaContext', ['dispose']))
}

/** Adds the marks that the model expects at the ends of a text to embed. */
export function completeEmbeddingInput(context: LlamaEmbeddingContext, tokens: readonly Token[]): Token[] {
  const whole = [...tokens]
  const complete: unknown = Reflect.get(context, '_prepareInput')
  if (typeof complete !== 'function') throw missing('_prepareInput')
  complete.call(context, whole)
  return whole
}

function readPart<Part>(owner: object, name: string, members: readonly string[]): Part {
  const part: unknown = Reflect.get(owner, name)
  const has = (member: string): boolean => typeof Reflect.get(Object(part), member) === 'function'
  if (typeof part !== 'object' || part === null || !members.every(has)) {
    throw missing(name)
  }
  // Checked above, as far as possible.
  return part as Part
}

function missing(name: string): LlamaError {
  return new LlamaError('internal', `this version of the engine has no ${name}`, { code: 'engine_version' })
}
