import type { BackendClient } from '@svc/backend-client'
import type { TokenLikelihood } from '@svc/backend-client/proto'
import { SvcError } from '@svc/errors'
import type { ModelConfig } from '../../catalog/model-config.ts'
import type { PromptToken, TokenLogprob } from '../core/events.ts'

/** The tokens of a prompt with their log-probabilities, and the token that may come after them. */
export interface ReadPrompt {
  readonly text: string
  readonly tokens: readonly PromptToken[]
  /** The token for an answer that ends before it begins: clients count on one token after the prompt. */
  readonly end: TokenLogprob
  readonly promptTokens: number
}

/** Options of {@link createPromptReader}. */
export interface PromptReaderOptions {
  readonly client: BackendClient
  readonly model: ModelConfig
  /** The prompt as the client sent it. */
  readonly prompt: string | readonly number[]
  /** The same as text. */
  readonly text: string
  /** Number of the likeliest tokens to report at each place. */
  readonly alternatives: number
  readonly signal: AbortSignal
}

/** Replaces the logarithm of probability 0, which JSON cannot express. */
const LEAST_LOGPROB = -9999

/**
 * Creates the reader of one prompt. It asks the backend once, however many answers the prompt gets.
 *
 * @throws SvcError `invalid_request` when the backend cannot do it
 */
export function createPromptReader(options: PromptReaderOptions): () => Promise<ReadPrompt> {
  let reading: Promise<ReadPrompt> | undefined
  return () => {
    reading ??= readPrompt(options)
    return reading
  }
}

async function readPrompt(options: PromptReaderOptions): Promise<ReadPrompt> {
  const { client, model, prompt, text, alternatives, signal } = options
  const asked = typeof prompt === 'string' ? { prompt } : { tokens: [...prompt] }
  const reply = await client.extensions
    .promptLogprobs({ ...asked, topLogprobs: alternatives, modelIdentity: model.parameters.model ?? '' }, { signal })
    .catch((error: unknown) => {
      throw toRefusal(error, model)
    })
  const tokens = reply.tokens.map(({ token, top }, index): PromptToken => {
    const { logprob, ...spelled } = toAlternative(token)
    // As in the format's own service, the first token has none.
    return index === 0 ? { ...spelled, logprob: null, top: [] } : { ...spelled, logprob, top: top.map(toAlternative) }
  })
  return {
    text,
    tokens: withoutAddedSpace(tokens, text),
    end: { ...toAlternative(reply.end), top_logprobs: reply.next.map(toAlternative) },
    promptTokens: Math.max(0, reply.promptTokens),
  }
}

function toRefusal(error: unknown, { name }: ModelConfig): unknown {
  if (!SvcError.is(error) || error.kind !== 'not_implemented') return error
  const message = `logprobs: the backend of model "${name}" gives no log probabilities of a prompt, which echo asks for`
  return new SvcError('invalid_request', message, {
    code: 'no_prompt_logprobs',
    cause: error,
    details: { param: 'logprobs' },
  })
}

function toAlternative(token: TokenLikelihood | undefined): Omit<TokenLogprob, 'top_logprobs'> {
  const bytes = token?.text ?? Buffer.of()
  const logprob = token?.logProb ?? LEAST_LOGPROB
  return {
    token: Buffer.from(bytes).toString(),
    bytes: [...bytes],
    logprob: Number.isFinite(logprob) ? Math.min(0, logprob) : LEAST_LOGPROB,
  }
}

/** Some vocabularies put a space before every text; it is not part of the prompt. */
function withoutAddedSpace(tokens: readonly PromptToken[], text: string): readonly PromptToken[] {
  const [first, ...rest] = tokens
  const whole = Buffer.concat(tokens.map(({ bytes }) => Buffer.from(bytes ?? []))).toString()
  if (first === undefined || whole !== ` ${text}`) return tokens
  return [{ ...first, token: first.token.slice(1), bytes: first.bytes?.slice(1) ?? null }, ...rest]
}
