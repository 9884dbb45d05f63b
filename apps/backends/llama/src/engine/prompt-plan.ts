import type { Token } from 'node-llama-cpp'
import { invalidRequest } from '../errors.ts'

/** Limits of a slot. */
export interface SlotLimits {
  /** Tokens of one slot. */
  readonly contextSize: number
  /** Whether the oldest tokens are dropped when a slot is full. */
  readonly trims: boolean
}

/** The plan of a prompt and its answer in a slot. */
export interface PromptPlan {
  /** The tokens to read: the prompt, or the shortened prompt. */
  readonly prompt: readonly Token[]
  /** Most tokens of the answer. */
  readonly limit: number
  /**
   * Tokens at the beginning that stay, and the number of tokens after them that are dropped each time the slot is full.
   */
  readonly keep: number
  readonly discard: number
}

/**
 * Fits a request into a slot. Prompt and answer together must fit, unless the oldest tokens may be dropped. In that
 * case a prompt that is too long loses its middle, and the answer may exceed the size of the slot; without a limit of
 * its own it gets at most that many tokens.
 *
 * @throws LlamaError `invalid_request` when the prompt is empty or does not fit
 */
export function planPrompt(
  request: { readonly prompt: readonly Token[]; readonly maxTokens: number; readonly keep: number },
  { contextSize, trims }: SlotLimits,
): PromptPlan {
  const { prompt, maxTokens } = request
  if (prompt.length === 0) throw invalidRequest('the prompt is empty', 'Prompt')
  if (prompt.length >= contextSize && !trims) {
    throw invalidRequest(
      `this model's maximum context length is ${contextSize} tokens; the prompt has ${prompt.length}`,
      'Prompt',
    )
  }
  const wanted = request.keep < 0 ? prompt.length : request.keep
  // All other tokens depend on the begin token.
  const keep = Math.min(Math.max(1, wanted), Math.floor(contextSize / 2))
  const discard = Math.max(1, Math.floor((contextSize - keep) / 2))
  const read = prompt.length < contextSize ? prompt : trimMiddle(prompt, { contextSize, keep, discard })
  const most = trims ? contextSize : contextSize - read.length
  const limit = maxTokens > 0 ? (trims ? maxTokens : Math.min(maxTokens, most)) : most
  return { prompt: read, limit, keep, discard }
}

/** Drops whole blocks after the kept part, so that the same conversation keeps the same beginning. */
function trimMiddle(
  prompt: readonly Token[],
  { contextSize, keep, discard }: { contextSize: number; keep: number; discard: number },
): readonly Token[] {
  const blocks = Math.ceil((prompt.length - contextSize + 1) / discard)
  return [...prompt.slice(0, keep), ...prompt.slice(keep + blocks * discard)]
}
