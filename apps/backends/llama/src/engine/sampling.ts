import { randomInt } from 'node:crypto'
import type { Token } from 'node-llama-cpp'
import { invalidRequest } from '../errors.ts'
import type { NativeSamplerConfig } from './native.ts'
import type { Tokenizer } from './tokenizer.ts'

/** Sampling options, in the units of the contract. */
export interface SamplingRequest {
  /** 0 or less: always the likeliest token. */
  readonly temperature: number
  /** Number of the likeliest tokens to choose from; 0 or less: all. */
  readonly topK: number
  /** Chooses among the likeliest tokens with this share of probability; 1 or more: all, 0: the likeliest only. */
  readonly topP: number
  /** Chooses among tokens at least this likely, relative to the likeliest; 0: all. */
  readonly minP: number
  /**
   * Chooses among tokens whose surprise is closest to the expected one, with this share of probability; 0 or 1: all.
   */
  readonly typicalP: number
  /** Cuts the flat tail of the distribution; 0 or 1: off. */
  readonly tailFreeZ: number
  /** 1 or 2: keeps the surprise of the text near `mirostatTau` instead of all the cuts above; else off. */
  readonly mirostat: number
  /** Rate of correction; 0: {@link DEFAULT_MIROSTAT_ETA}. */
  readonly mirostatEta: number
  /** Target surprise, in bits; 0: {@link DEFAULT_MIROSTAT_TAU}. */
  readonly mirostatTau: number
  /** Below 0: a fresh one. The same seed, prompt and process give the same answer. */
  readonly seed: number
  /** Divides (or, below 0, multiplies) the score of earlier tokens; 0 or 1: off. */
  readonly repeatPenalty: number
  /** Look-back of the penalties in tokens: 0 means {@link DEFAULT_REPEAT_LAST_N}, below 0 the whole context. */
  readonly repeatLastN: number
  /** Subtracted from the score for each earlier occurrence of a token. */
  readonly frequencyPenalty: number
  /** Subtracted from the score of each token that occurred before. */
  readonly presencePenalty: number
  /** Added to the scores of tokens, as JSON text: an object of token ids and numbers. */
  readonly logitBias: string
  /** Never ends by an end-of-generation token. */
  readonly ignoreEos: boolean
}

/** A sampling request converted to the ranges of the engine. */
export interface Sampling {
  /** The constant part for all tokens. */
  readonly config: NativeSamplerConfig
  /** Look-back of the penalties in tokens; 0: no penalties. */
  readonly lookBack: number
  readonly typicalP: number
  readonly tailFreeZ: number
  readonly mirostat: 0 | 1 | 2
  readonly mirostatEta: number
  readonly mirostatTau: number
}

/** The facts of a model that sampling uses. */
export interface SamplingModel {
  readonly tokenizer: Pick<Tokenizer, 'toTokens' | 'endTokens'>
  readonly contextSize: number
}

/** Default look-back of the penalties in tokens. */
export const DEFAULT_REPEAT_LAST_N = 64
/** Default for requests without one. */
export const DEFAULT_MIROSTAT_ETA = 0.1
/** Default for requests without one. */
export const DEFAULT_MIROSTAT_TAU = 5
const MAX_SEED = 2 ** 31 - 1
const MAX_BIASES = 4096
const NUMBERS = [
  ...(['temperature', 'topP', 'minP', 'typicalP', 'tailFreeZ', 'mirostatEta', 'mirostatTau'] as const),
  ...(['repeatPenalty', 'frequencyPenalty', 'presencePenalty'] as const),
]

/** Converts the sampling options of a request. @throws LlamaError `invalid_request` */
export function toSampling(request: SamplingRequest, model: SamplingModel): Sampling {
  for (const name of NUMBERS) {
    if (!Number.isFinite(request[name])) throw invalidRequest(`${name} must be a finite number`, name)
  }
  const { repeatPenalty, frequencyPenalty, presencePenalty } = request
  const penalty = repeatPenalty > 0 ? repeatPenalty : 1
  const isPenalised = penalty !== 1 || frequencyPenalty !== 0 || presencePenalty !== 0
  const lookBack = isPenalised ? chooseLookBack(request.repeatLastN, model.contextSize) : 0
  const bias = toBias(request, model)
  return {
    config: {
      temperature: Math.max(0, request.temperature),
      topK: Math.max(0, Math.trunc(request.topK)),
      topP: clampShare(request.topP),
      minP: clampShare(request.minP),
      seed: request.seed < 0 ? randomInt(MAX_SEED) : Math.trunc(request.seed),
      ...(lookBack > 0 && {
        repeatPenalty: penalty,
        repeatPenaltyFrequencyPenalty: frequencyPenalty,
        repeatPenaltyPresencePenalty: presencePenalty,
        // A fixed size keeps the engine from rebuilding its sampler for every token.
        repeatPenaltyMaxTokens: lookBack,
      }),
      ...(bias.size > 0 && {
        tokenBiasKeys: Uint32Array.from(bias.keys()),
        tokenBiasValues: Float32Array.from(bias.values()),
      }),
    },
    lookBack,
    typicalP: toCut(request.typicalP),
    tailFreeZ: toCut(request.tailFreeZ),
    mirostat: request.mirostat === 1 || request.mirostat === 2 ? request.mirostat : 0,
    mirostatEta: request.mirostatEta > 0 ? request.mirostatEta : DEFAULT_MIROSTAT_ETA,
    mirostatTau: request.mirostatTau > 0 ? request.mirostatTau : DEFAULT_MIROSTAT_TAU,
  }
}

/** The tokens that the penalties see, of the prompt and the answer so far. */
export function listPenalised(
  sampling: Sampling,
  history: readonly Token[],
): Pick<NativeSamplerConfig, 'repeatPenaltyTokens'> {
  if (sampling.lookBack === 0) return {}
  return { repeatPenaltyTokens: Uint32Array.from(history.slice(-sampling.lookBack)) }
}

/** Parses biases by token id from JSON text; empty text means no biases. @throws LlamaError `invalid_request` */
export function parseLogitBias(text: string, tokenizer: Pick<Tokenizer, 'toTokens'>): Map<Token, number> {
  const biases = new Map<Token, number>()
  if (text.trim() === '') return biases
  const entries = parseObject(text)
  if (entries.length > MAX_BIASES) throw invalidRequest(`more than ${MAX_BIASES} biases`, 'LogitBias')
  for (const [key, bias] of entries) {
    const id = /^\d{1,10}$/.test(key) ? Number(key) : Number.NaN
    const [token] = tokenizer.toTokens([id], 'LogitBias')
    if (typeof bias !== 'number') throw invalidRequest('a bias is not a number', 'LogitBias')
    if (token !== undefined) biases.set(token, bias)
  }
  return biases
}

function toBias(request: SamplingRequest, { tokenizer }: SamplingModel): Map<Token, number> {
  const biases = parseLogitBias(request.logitBias, tokenizer)
  if (request.ignoreEos) for (const token of tokenizer.endTokens()) biases.set(token, Number.NEGATIVE_INFINITY)
  return biases
}

function parseObject(text: string): [string, unknown][] {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    throw invalidRequest('the biases are no JSON', 'LogitBias')
  }
  if (value === null) return []
  if (typeof value !== 'object' || Array.isArray(value)) throw invalidRequest('the biases are no object', 'LogitBias')
  return Object.entries(value)
}

function chooseLookBack(lastN: number, contextSize: number): number {
  const wanted = lastN === 0 ? DEFAULT_REPEAT_LAST_N : lastN
  return wanted < 0 ? contextSize : Math.min(wanted, contextSize)
}

function clampShare(value: number): number {
  return Math.min(1, Math.max(0, value))
}

/** Converts a share. 1 cuts nothing, and neither does 0, which older callers send for "not set". */
function toCut(value: number): number {
  return value > 0 && value < 1 ? value : 1
}
