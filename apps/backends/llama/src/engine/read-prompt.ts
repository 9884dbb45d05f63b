import type { Token } from 'node-llama-cpp'
import { invalidRequest } from '../errors.ts'
import type { Generator } from './generate.ts'
import { chooseSlot } from './prefix-cache.ts'
import { type Likelihoods, readLikelihoods, type TokenLikelihood } from './token-chooser.ts'

/** A prompt to read without continuing it. */
export interface ReadRequest {
  /** All tokens, a begin token included. */
  readonly tokens: readonly Token[]
  /** Tokens at the beginning that are not reported. */
  readonly skip: number
  /** Number of the likeliest tokens to report at each place. */
  readonly top: number
}

/** A token of a prompt. */
export interface ReadToken {
  readonly token: Token
  /** Natural logarithm of its probability; undefined for the first token. */
  readonly logprob?: number | undefined
  /** The likeliest tokens at its place, best first. */
  readonly top: readonly TokenLikelihood[]
}

/** A prompt with the likelihoods of its tokens. */
export interface ReadPrompt {
  readonly tokens: readonly ReadToken[]
  /** The likeliest tokens after the prompt, best first. */
  readonly next: readonly TokenLikelihood[]
  /** The likeliest token that would end the text. */
  readonly end: TokenLikelihood | undefined
}

/**
 * Reads a prompt and returns the likelihood of each token after the tokens before it.
 *
 * @throws LlamaError `invalid_request` when the prompt does not fit
 */
export async function readPrompt(
  generator: Generator,
  { tokens, skip, top }: ReadRequest,
  { signal }: { readonly signal: AbortSignal },
): Promise<ReadPrompt> {
  const { contextSize, pool, native, batcher, cache, context, tokenizer } = generator
  if (tokens.length > contextSize) {
    throw invalidRequest(
      `this model's maximum context length is ${contextSize} tokens; the prompt has ${tokens.length}`,
      'prompt',
    )
  }
  const ends = tokenizer.endTokens()
  const places: Likelihoods[] = []
  if (tokens.length > 0) {
    const lease = await pool.acquire({ signal, choose: (free) => chooseSlot(free, tokens, generator) })
    const sampler = native.createSampler()
    // Every place is read, so the slot keeps nothing.
    const reading = cache.align(lease.slot, tokens, 0).then(() =>
      batcher.decode({
        sequence: lease.slot,
        tokens,
        readFrom: 0,
        read: async (index, place) => {
          const next = tokens[place + 1]
          places.push(
            await readLikelihoods({ context, index, sampler, top, tokens: next === undefined ? ends : [next] }),
          )
        },
        signal,
      }),
    )
    try {
      await reading
    } finally {
      await batcher.between(() => sampler.dispose())
      lease.release()
    }
  }
  const last = places.at(-1)
  return {
    tokens: tokens.slice(skip).map((token, index) => {
      const before = places[skip + index - 1]
      return { token, logprob: before?.of.get(token), top: before?.top ?? [] }
    }),
    next: last?.top ?? [],
    end: findLikeliest(last, ends),
  }
}

function findLikeliest(place: Likelihoods | undefined, tokens: readonly Token[]): TokenLikelihood | undefined {
  let best: TokenLikelihood | undefined
  for (const token of tokens) {
    const logprob = place?.of.get(token)
    if (logprob !== undefined && (best === undefined || logprob > best.logprob)) best = { token, logprob }
  }
  return best
}
