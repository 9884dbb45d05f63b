import type { Token } from 'node-llama-cpp'
import { LlamaError } from '../errors.ts'
import type { GrammarGuide } from './grammar.ts'
import type { LogitIndex, Native, NativeContext, NativeSampler, NativeSamplerConfig } from './native.ts'
import {
  type Candidates,
  type Chance,
  chooseByCuts,
  chooseByMirostat,
  createChance,
  type Mirostat,
} from './sampler-chain.ts'
import { listPenalised, type Sampling } from './sampling.ts'

/** Likelihood of a token, before any change of its scores. */
export interface TokenLikelihood {
  readonly token: Token
  /** Natural logarithm of the probability, 0 or less. */
  readonly logprob: number
}

/** A token and, on request, the likelihoods at its position. */
export interface Choice extends Partial<TokenLikelihood> {
  readonly token: Token
  /** The likeliest tokens, best first. */
  readonly top?: readonly TokenLikelihood[] | undefined
}

/** Chooses the tokens of one answer. */
export interface TokenChooser {
  /** Chooses from the scores at a position of the last batch. */
  choose(index: LogitIndex): Promise<Choice>
  /** Frees the samplers once they are unused. */
  close(): Promise<void>
}

/** Options of a chooser. */
export interface ChooserOptions {
  readonly native: Native
  readonly context: NativeContext
  readonly vocabularySize: number
  readonly sampling: Sampling
  readonly grammar: GrammarGuide | undefined
  /** Number of the likeliest tokens to report; undefined: no likelihoods. */
  readonly topLogprobs: number | undefined
  /** Prompt and answer so far; read again for every token. */
  readonly history: readonly Token[]
}

/** A chooser for one answer. */
export function createTokenChooser(options: ChooserOptions): TokenChooser {
  const { native, context, grammar, topLogprobs } = options
  const sampler = native.createSampler()
  const observer = topLogprobs === undefined ? undefined : native.createSampler()
  const pick = createPick(options, sampler)
  let running: Promise<unknown> = Promise.resolve()

  async function choose(index: LogitIndex): Promise<Choice> {
    const token = await pick(index)
    if (observer === undefined) return { token }
    const read = await readLikelihoods({ context, index, sampler: observer, tokens: [token], top: topLogprobs })
    return { token, logprob: read.of.get(token) ?? Number.NEGATIVE_INFINITY, top: read.top }
  }
  return {
    choose: (index) => {
      const choice = choose(index)
      running = choice.catch(() => {})
      return choice
    },
    close: async () => {
      // The engine may still be choosing for an aborted call.
      await running
      sampler.dispose()
      observer?.dispose()
    },
  }

  function createPick(given: ChooserOptions, of: NativeSampler): (index: LogitIndex) => Promise<Token> {
    const { config, typicalP, tailFreeZ, mirostat } = given.sampling
    const isOurs = config.temperature > 0 && (mirostat !== 0 || typicalP < 1 || tailFreeZ < 1)
    const pickToken = isOurs ? createOwnPick(given, of) : createEnginePick(given, of)
    return async (index) => {
      try {
        return await pickToken(index)
      } catch (error) {
        if (grammar?.state === undefined) throw error
        throw new LlamaError('unprocessable', 'no token of this model goes on with the grammar', { cause: error })
      }
    }
  }
}

/** The engine chooses, under the grammar once it has begun. */
function createEnginePick(
  { context, sampling, grammar, history }: ChooserOptions,
  sampler: NativeSampler,
): (index: LogitIndex) => Promise<Token> {
  return async (index) => {
    const state = grammar?.state
    sampler.applyConfig({
      ...sampling.config,
      ...listPenalised(sampling, history),
      ...(state && { grammarEvaluationState: state }),
    })
    const token = await context.sampleToken(index, sampler)
    if (token === -1) throw new LlamaError('internal', 'the engine chose no token')
    grammar?.note(token)
    return token
  }
}

/** The engine returns its best candidates, after penalties and biases, and this code chooses. */
function createOwnPick(options: ChooserOptions, sampler: NativeSampler): (index: LogitIndex) => Promise<Token> {
  const { context, sampling, grammar, history, vocabularySize } = options
  const { config } = sampling
  const chance: Chance = createChance(config.seed ?? 0)
  const mirostat: Mirostat | undefined = toMirostat(sampling)
  const count = mirostat === undefined && (config.topK ?? 0) > 0 ? (config.topK ?? 0) : vocabularySize
  return async (index) => {
    sampler.applyConfig({ ...withoutCuts(config), ...listPenalised(sampling, history) })
    // Under a grammar any token may be the only one left.
    const wanted = grammar?.state === undefined ? count : vocabularySize
    const [, , , pairs = []] = await context.sampleToken(
      index,
      sampler,
      false,
      false,
      [[], false, false, false, wanted],
      false,
    )
    const candidates = allowed(toCandidates(pairs), grammar, count)
    if (candidates.tokens.length === 0) throw new LlamaError('internal', 'the engine chose no token')
    const place =
      mirostat === undefined
        ? chooseByCuts(candidates, { ...sampling, ...chainValues(config) }, chance)
        : chooseByMirostat(candidates, mirostat, chance)
    const token = candidates.tokens[place] as Token
    grammar?.accept(token)
    return token
  }
}

function chainValues(config: NativeSamplerConfig): { topP: number; minP: number; temperature: number } {
  return { topP: config.topP ?? 1, minP: config.minP ?? 0, temperature: config.temperature }
}

/** Greedy, so that the engine leaves all candidates in place. */
function withoutCuts({ topK: _, topP: __, minP: ___, ...rest }: NativeSamplerConfig): NativeSamplerConfig {
  return { ...rest, temperature: 0 }
}

function toMirostat({ mirostat, mirostatTau: tau, mirostatEta: eta, config }: Sampling): Mirostat | undefined {
  return mirostat === 0 ? undefined : { version: mirostat, tau, eta, temperature: config.temperature, mu: 2 * tau }
}

function toCandidates(pairs: readonly number[]): Candidates {
  const tokens: number[] = []
  const logits: number[] = []
  for (let i = 0; i < pairs.length; i += 2) {
    const logit = pairs[i + 1] ?? Number.NEGATIVE_INFINITY
    if (logit === Number.NEGATIVE_INFINITY) continue
    tokens.push(pairs[i] ?? 0)
    logits.push(logit)
  }
  return { tokens, logits }
}

/** The first `count` candidates that the grammar lets through. */
function allowed(candidates: Candidates, grammar: GrammarGuide | undefined, count: number): Candidates {
  if (grammar?.state === undefined) return candidates
  const tokens: number[] = []
  const logits: number[] = []
  for (let i = 0; i < candidates.tokens.length && tokens.length < count; i++) {
    if (!grammar.allows(candidates.tokens[i] as Token)) continue
    tokens.push(candidates.tokens[i] ?? 0)
    logits.push(candidates.logits[i] ?? 0)
  }
  return { tokens, logits }
}

/** Likelihoods at one place. */
export interface Likelihoods {
  /** Values of the requested tokens, and sometimes of others. */
  readonly of: ReadonlyMap<Token, number>
  readonly top: readonly TokenLikelihood[]
}

/** Reads the likelihoods of tokens at a position of the last batch. The sampler must not be used for anything else. */
export async function readLikelihoods(at: {
  readonly context: NativeContext
  readonly index: LogitIndex
  readonly sampler: NativeSampler
  readonly tokens: readonly Token[]
  readonly top?: number | undefined
}): Promise<Likelihoods> {
  const { context, index, sampler, tokens, top = 0 } = at
  sampler.applyConfig({ temperature: 0 })
  // The greedy choice has the highest score, to which the sum of all weights is relative.
  const filter = [tokens, false, false, true, top] as const
  const [, , , pairs = [], weight = Number.NaN] = await context.sampleToken(index, sampler, false, false, filter, true)
  const logits = new Map<Token, number>()
  for (let i = 0; i < pairs.length; i += 2) logits.set(pairs[i] as Token, pairs[i + 1] ?? Number.NaN)
  const highest = Math.max(...logits.values())
  const of = new Map([...logits].map(([token, logit]) => [token, Math.min(0, logit - highest - Math.log(weight))]))
  const likelihoods = [...of].map(([token, logprob]) => ({ token, logprob }))
  return { of, top: likelihoods.sort((a, b) => b.logprob - a.logprob).slice(0, top) }
}
