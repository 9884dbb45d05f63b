import { randomInt } from 'node:crypto'
import type { Token } from 'node-llama-cpp'
import { invalidRequest } from '../errors.ts'
import type { NativeSamplerConfig } from './native.ts'
import type { Tokenizer } from './tokenizer.ts'

/** How the next token is chosen, in the units of the contract. */
export interface SamplingRequest {
  /** 0 or less: always the likeliest token. */
  readonly temperature: number
  /** Among how many of the likeliest; 0 or less: all. */
  readonly topK: number
  /** Among the likeliest that make up this share; 1 or more: all, 0: the likeliest alone. */
  readonly topP: number
  /** Among those at least this likely, as a share of the likeliest; 0: all. */
  readonly minP: number
  /** Among those whose surprise is closest to the expected one, this share of the probability; 0 or 1: all. */
  readonly typicalP: number
  /** Cuts the flat tail of the distribution; 0 or 1: nothing. */
  readonly tailFreeZ: number
  /** 1 or 2: keeps the surprise of the text near `mirostatTau` instead of all the cuts above; else off. */
  readonly mirostat: number
  /** How fast it is corrected; 0: {@link DEFAULT_MIROSTAT_ETA}. */
  readonly mirostatEta: number
  /** The surprise aimed at, in bits; 0: {@link DEFAULT_MIROSTAT_TAU}. */
  readonly mirostatTau: number
  /** Below 0: a fresh one. The same seed, prompt and process give the same answer. */
  readonly seed: number
  /** Divides (or, below 0, multiplies) the score of tokens that came before; 0 or 1: off. */
  readonly repeatPenalty: number
  /** How far back the penalties look: 0 means {@link DEFAULT_REPEAT_LAST_N}, below 0 the whole context. */
  readonly repeatLastN: number
  /** Taken from the score for each time a token came before. */
  readonly frequencyPenalty: number
  /** Taken from the score of each token that came before. */
  readonly presencePenalty: number
  /** Added to the scores of tokens, as JSON text: an object of token ids and numbers. */
  readonly logitBias: string
  /** Never ends by an end-of-generation token. */
  readonly ignoreEos: boolean
}

/** A request brought into the ranges of the engine. */
export interface Sampling {
  /** What stays the same for every token. */
  readonly config: NativeSamplerConfig
  /** Tokens the penalties look back on; 0: no penalties. */
  readonly lookBack: number
  readonly typicalP: number
  readonly tailFreeZ: number
  readonly mirostat: 0 | 1 | 2
  readonly mirostatEta: number
  readonly mirostatTau: number
}

/** What sampling needs to know of the model. */
export interface SamplingModel {
  readonly tokenizer: Pick<Tokenizer, 'toTokens' | 'endTokens'>
  readonly contextSize: number
}

/** Tokens the penalties look back on where the request names no number. */
export const DEFAULT_REPEAT_LAST_N = 64
/** Where the request names none. */
export const DEFAULT_MIROSTAT_ETA = 0.1
/** Where the request names none. */
export const DEFAULT_MIROSTAT_TAU = 5
const MAX_SEED = 2 ** 31 - 1
const MAX_BIASES = 4096
const NUMBERS = [
  ...(['temperature', 'topP', 'minP', 'typicalP', 'tailFreeZ', 'mirostatEta', 'mirostatTau'] as const),
  ...(['repeatPenalty', 'frequencyPenalty', 'presencePenalty'] as const),
]

/** How to choose tokens for a request. @throws LlamaError `invalid_request` */
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
        // A fixed size keeps the engine from building its sampler anew for every token.
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

/** The tokens that the penalties see, of a text of `prompt` and what was made since. */
export function penalised(
  sampling: Sampling,
  history: readonly Token[],
): Pick<NativeSamplerConfig, 'repeatPenaltyTokens'> {
  if (sampling.lookBack === 0) return {}
  return { repeatPenaltyTokens: Uint32Array.from(history.slice(-sampling.lookBack)) }
}

/** Biases by token id out of JSON text; empty text has none. @throws LlamaError `invalid_request` */
export function parseLogitBias(text: string, tokenizer: Pick<Tokenizer, 'toTokens'>): Map<Token, number> {
  const biases = new Map<Token, number>()
  if (text.trim() === '') return biases
  const entries = parseObject(text)
  if (entries.length > MAX_BIASES) throw invalidRequest(`more than ${MAX_BIASES} biases`, 'LogitBias')
  for (const [key, bias] of entries) {
    const id = /^\d{1,10}$/.test(key) ? Number(key) : Number.NaN
    const [token] = tokenizer.toTokens([id], 'LogitBias')
    if (typeof bias !== 'number') throw invalidRequest('a bias is no number', 'LogitBias')
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

/** A share to cut down to; 1 cuts nothing, and so does 0, which an older caller sends for "not set". */
function toCut(value: number): number {
  return value > 0 && value < 1 ? value : 1
}
