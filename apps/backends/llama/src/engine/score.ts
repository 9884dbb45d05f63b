import type { Token } from 'node-llama-cpp'
import { invalidRequest } from '../errors.ts'
import type { Sequence } from './batcher.ts'
import { tokenizeContinuation } from './continuation.ts'
import type { Generator } from './generate.ts'
import { mapWithPauses } from './map-with-pauses.ts'
import { chooseSlot, countShared } from './prefix-cache.ts'
import { readLikelihoods, type TokenLikelihood } from './token-chooser.ts'
import type { Tokenizer } from './tokenizer.ts'

/** Continuations to compare. */
export interface ScoreRequest {
  /** At least one token. */
  readonly prompt: readonly Token[]
  readonly candidates: readonly (readonly Token[])[]
}

/** Likelihood of each token of a candidate after the prompt and the previous tokens. */
export type CandidateLikelihood = readonly TokenLikelihood[]

/** Result of scoring. */
export interface Scored {
  /** In the order of the request. */
  readonly candidates: readonly CandidateLikelihood[]
  /** Number of tokens read. */
  readonly tokensRead: number
}

/** Texts to compare as continuations of another. */
export interface TextScoreRequest {
  readonly prompt: string
  readonly candidates: readonly string[]
}

/** The parts of a model that tokenizing texts uses. */
interface ScoreModel {
  readonly tokenizer: Pick<Tokenizer, 'tokenize' | 'tokenizePrompt'>
  readonly contextSize: number
}

/** Tokenizes texts to compare. @throws LlamaError `invalid_request` when the prompt is missing or does not fit */
export async function toScoreRequest(
  model: ScoreModel,
  { prompt: text, candidates: texts }: TextScoreRequest,
  { signal }: { readonly signal: AbortSignal },
): Promise<ScoreRequest> {
  const { tokenizer } = model
  const prompt = tokenizer.tokenizePrompt(text)
  // A prompt that is too long must not be read again for each candidate.
  checkFits(model, prompt, [])
  const toTokens = (candidate: string): Token[] => tokenizeContinuation(tokenizer, { text, tokens: prompt }, candidate)
  return { prompt, candidates: await mapWithPauses(texts, toTokens, { signal }) }
}

/**
 * Scores continuations. The prompt is read once; the common beginning of consecutive candidates is read once.
 *
 * @throws LlamaError `invalid_request` when the prompt is missing, or does not fit with a candidate
 */
export async function score(
  generator: Generator,
  { prompt, candidates }: ScoreRequest,
  { signal }: { readonly signal: AbortSignal },
): Promise<Scored> {
  checkFits(generator, prompt, candidates)
  const lease = await generator.pool.acquire({ signal, choose: (free) => chooseSlot(free, prompt, generator) })
  const sampler = generator.native.createSampler()
  const reader = { generator, sequence: lease.slot, sampler, signal, tokensRead: 0 }
  let reading: Promise<unknown> = Promise.resolve()
  try {
    const results: TokenLikelihood[][] = []
    for (const [index, candidate] of candidates.entries()) {
      const shared = index === 0 ? 0 : countShared(candidate, candidates[index - 1] ?? [])
      const known = (results[index - 1] ?? []).slice(0, shared)
      const read = readCandidate(reader, { prompt, candidate, known })
      reading = read.catch(() => {})
      results.push(await read)
    }
    return { candidates: results, tokensRead: reader.tokensRead }
  } finally {
    await reading
    await generator.batcher.between(() => sampler.dispose())
    lease.release()
  }
}

interface Reader {
  readonly generator: Generator
  readonly sequence: Sequence
  readonly sampler: ReturnType<Generator['native']['createSampler']>
  readonly signal: AbortSignal
  tokensRead: number
}

/** Reads a candidate whose first likelihoods are known. */
async function readCandidate(
  reader: Reader,
  part: {
    readonly prompt: readonly Token[]
    readonly candidate: readonly Token[]
    readonly known: readonly TokenLikelihood[]
  },
): Promise<TokenLikelihood[]> {
  const { generator, sequence, sampler, signal } = reader
  const { batcher, cache, context } = generator
  const { prompt, candidate, known } = part
  if (known.length === candidate.length) return [...known]
  const text = [...prompt, ...candidate]
  // The likelihood of a token comes from the scores after the previous token.
  const start = prompt.length - 1 + known.length
  const remembered = await cache.align(sequence, text, start)
  const unread = text.slice(remembered, -1)
  const likelihoods = [...known]
  const read = async (index: number, place: number): Promise<void> => {
    const token = text[remembered + place + 1] as Token
    const { of } = await readLikelihoods({ context, index, sampler, tokens: [token] })
    likelihoods.push({ token, logprob: of.get(token) ?? Number.NEGATIVE_INFINITY })
  }
  await batcher.decode({ sequence, tokens: unread, read, readFrom: start - remembered, signal })
  reader.tokensRead += unread.length
  return likelihoods
}

function checkFits(
  { contextSize }: Pick<ScoreModel, 'contextSize'>,
  prompt: readonly Token[],
  candidates: ScoreRequest['candidates'],
): void {
  if (prompt.length === 0) throw invalidRequest('the prompt is empty', 'prompt')
  const longest = candidates.reduce((most, { length }) => Math.max(most, length), 0)
  if (prompt.length + longest > contextSize) {
    const length = prompt.length + longest
    throw invalidRequest(`prompt and candidate have ${length} tokens, the context holds ${contextSize}`, 'prompt')
  }
}

/** Sum of the log-probabilities of a candidate; 0 without tokens. */
export function sumLogprobs(candidate: CandidateLikelihood): number {
  return candidate.reduce((sum, { logprob }) => sum + logprob, 0)
}
