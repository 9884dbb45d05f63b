import type { Token } from 'node-llama-cpp'
import { invalidRequest } from '../errors.ts'

/** What a slot has room for. */
export interface RoomRules {
  /** Tokens of one slot. */
  readonly contextSize: number
  /** Whether the oldest tokens make room when a slot is full. */
  readonly trims: boolean
}

/** How a prompt and its answer fit into a slot. */
export interface PromptPlan {
  /** What is read: the prompt, or what is left of it. */
  readonly prompt: readonly Token[]
  /** Most tokens of the answer. */
  readonly limit: number
  /** Tokens at the beginning that stay, and tokens behind them that go each time the slot is full. */
  readonly keep: number
  readonly discard: number
}

/**
 * Fits a request into a slot. Prompt and answer together fill it at most, unless the oldest tokens make room: then a
 * prompt that is too long loses its middle, and the answer may go on past the size of the slot, but without a limit of
 * its own no further than that many tokens.
 *
 * @throws LlamaError `invalid_request` where the prompt is empty or does not fit
 */
export function planPrompt(
  request: { readonly prompt: readonly Token[]; readonly maxTokens: number; readonly keep: number },
  { contextSize, trims }: RoomRules,
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
  // The begin token is what everything else hangs on.
  const keep = Math.min(Math.max(1, wanted), Math.floor(contextSize / 2))
  const discard = Math.max(1, Math.floor((contextSize - keep) / 2))
  const read = prompt.length < contextSize ? prompt : trimMiddle(prompt, { contextSize, keep, discard })
  const most = trims ? contextSize : contextSize - read.length
  const limit = maxTokens > 0 ? (trims ? maxTokens : Math.min(maxTokens, most)) : most
  return { prompt: read, limit, keep, discard }
}

/** Takes whole blocks out behind the part that stays, so that the same conversation keeps the same beginning. */
function trimMiddle(
  prompt: readonly Token[],
  { contextSize, keep, discard }: { contextSize: number; keep: number; discard: number },
): readonly Token[] {
  const blocks = Math.ceil((prompt.length - contextSize + 1) / discard)
  return [...prompt.slice(0, keep), ...prompt.slice(keep + blocks * discard)]
}
