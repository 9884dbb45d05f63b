import { SvcError } from '@svc/errors'
import { toCount, toFields, toList, toNumber, toText } from '@svc/proxy/replies'
import type { ServiceCall, ServiceTransport } from './transport.ts'

/** A token with its likelihood, a natural logarithm. */
export interface SpelledToken {
  readonly bytes: Uint8Array
  readonly logprob: number
}

/** The tokens of a prompt with their likelihoods. */
export interface PromptOutput {
  /** The first token has the logarithm 0 and no alternatives. */
  readonly tokens: readonly (SpelledToken & { readonly top: readonly SpelledToken[] })[]
  /** The token behind the prompt, and the likeliest ones at its place. */
  readonly next: SpelledToken & { readonly top: readonly SpelledToken[] }
  readonly promptTokens: number
}

const PATH = '/v1/completions'
const BYTES = /^bytes:(?:\\x[0-9a-f]{2})+$/

/**
 * Reads how likely each token of a prompt is.
 *
 * @throws `not_implemented` when the instance does not list the tokens of a prompt
 */
export async function readPrompt(
  transport: ServiceTransport,
  { prompt, top }: { readonly prompt: string | readonly number[]; readonly top: number },
  call: ServiceCall,
): Promise<PromptOutput> {
  const json = {
    model: transport.target.model,
    prompt: typeof prompt === 'string' ? prompt : [prompt],
    // Instances that do not know 0 for nothing would never end.
    ...{ echo: true, logprobs: top, max_tokens: 1, temperature: 0 },
  }
  const reply = await transport.ask(PATH, { json }, call)
  const lists = toFields(toFields(toList(reply.choices)[0]).logprobs)
  const own = toList(lists.token_logprobs)
  const alternatives = toList(lists.top_logprobs)
  const all = toList(lists.tokens).map((name, index) => ({
    bytes: toBytes(toText(name) ?? ''),
    logprob: toNumber(own[index]) ?? 0,
    top: readAlternatives(alternatives[index]).slice(0, top),
  }))
  const [next, tokens] = [all.at(-1), all.slice(0, -1)]
  if (next === undefined || !areTokensOf(tokens, prompt)) {
    throw new SvcError('not_implemented', 'the instance lists no tokens of a prompt', { code: 'no_prompt_logprobs' })
  }
  return { tokens, next, promptTokens: toCount(toFields(reply.usage).prompt_tokens) ?? tokens.length }
}

function areTokensOf(tokens: readonly SpelledToken[], prompt: string | readonly number[]): boolean {
  if (typeof prompt !== 'string') return tokens.length === prompt.length
  return Buffer.concat(tokens.map(({ bytes }) => bytes)).equals(Buffer.from(prompt))
}

function readAlternatives(map: unknown): readonly SpelledToken[] {
  return Object.entries(toFields(map))
    .flatMap(([name, value]) => {
      const logprob = toNumber(value)
      return logprob === undefined ? [] : [{ bytes: toBytes(name), logprob }]
    })
    .sort((a, b) => b.logprob - a.logprob)
}

/** The bytes of a token. Tokens that are not text are written as their bytes. */
function toBytes(name: string): Uint8Array {
  return BYTES.test(name) ? Buffer.from(name.slice('bytes:'.length).replaceAll('\\x', ''), 'hex') : Buffer.from(name)
}
