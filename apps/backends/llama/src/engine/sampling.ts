import { randomInt } from 'node:crypto'
import type { LlamaModel, SequenceEvaluateOptions, Token } from 'node-llama-cpp'
import { invalidRequest } from '../errors.ts'
import type { Runtime } from './runtime.ts'
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
  readonly ignoreEos: boolean
}

/** What sampling needs to know of the model. */
export interface SamplingModel {
  readonly llamaModel: LlamaModel
  readonly module: Runtime['module']
  readonly tokenizer: Tokenizer
  readonly contextSize: number
}

/** Tokens the penalties look back on where the request names no number. */
export const DEFAULT_REPEAT_LAST_N = 64
const MAX_SEED = 2 ** 31 - 1
const MAX_BIASES = 4096

/** The engine's options for a request; `history` is read anew for every token. */
export function toEvaluateOptions(
  request: SamplingRequest,
  model: SamplingModel,
  history: readonly Token[],
): SequenceEvaluateOptions {
  const repeatPenalty = toRepeatPenalty(request, model.contextSize, history)
  const tokenBias = toTokenBias(request.logitBias, model)
  return {
    ...toSamplerValues(request),
    ...(repeatPenalty && { repeatPenalty }),
    ...(tokenBias && { tokenBias }),
    yieldEogToken: request.ignoreEos,
  }
}

/** The numbers among the options, brought into the ranges of the engine. @throws LlamaError `invalid_request` */
export function toSamplerValues(
  request: SamplingRequest,
): Required<Pick<SequenceEvaluateOptions, 'temperature' | 'topK' | 'topP' | 'minP' | 'seed'>> {
  for (const name of ['temperature', 'topP', 'minP', 'repeatPenalty', 'frequencyPenalty', 'presencePenalty'] as const) {
    if (!Number.isFinite(request[name])) throw invalidRequest(`${name} must be a finite number`, name)
  }
  return {
    temperature: Math.max(0, request.temperature),
    topK: Math.max(0, Math.trunc(request.topK)),
    topP: Math.min(1, Math.max(0, request.topP)),
    minP: Math.min(1, Math.max(0, request.minP)),
    seed: request.seed < 0 ? randomInt(MAX_SEED) : Math.trunc(request.seed),
  }
}

/** The penalties, or nothing where none is on. */
export function toRepeatPenalty(
  request: SamplingRequest,
  contextSize: number,
  history: readonly Token[],
): SequenceEvaluateOptions['repeatPenalty'] {
  const penalty = request.repeatPenalty > 0 ? request.repeatPenalty : 1
  const { frequencyPenalty, presencePenalty } = request
  if (penalty === 1 && frequencyPenalty === 0 && presencePenalty === 0) return undefined
  const wanted = request.repeatLastN === 0 ? DEFAULT_REPEAT_LAST_N : request.repeatLastN
  const lastN = wanted < 0 ? contextSize : Math.min(wanted, contextSize)
  // A fixed size keeps the engine from building its sampler anew for every token.
  return {
    penalty,
    frequencyPenalty,
    presencePenalty,
    maxPunishTokens: lastN,
    punishTokens: () => history.slice(-lastN),
  }
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

function toTokenBias(text: string, model: SamplingModel): SequenceEvaluateOptions['tokenBias'] {
  const biases = parseLogitBias(text, model.tokenizer)
  if (biases.size === 0) return undefined
  // Made with anything but this very tokenizer it would throw where nobody can catch it and end the process.
  const tokenBias = new model.module.TokenBias(model.llamaModel.tokenizer)
  for (const [token, logit] of biases) tokenBias.set([token], { logit })
  return tokenBias
}
