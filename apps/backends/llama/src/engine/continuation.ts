import type { Token } from 'node-llama-cpp'
import { countShared } from './prefix-cache.ts'
import type { Tokenizer } from './tokenizer.ts'

/**
 * Tokens of a text that continues a prompt: those that the whole text has behind the prompt, or, where the prompt would
 * be cut differently with something behind it, those of the text alone, as a model would write it.
 */
export function tokenizeContinuation(
  tokenizer: Pick<Tokenizer, 'tokenize' | 'tokenizePrompt'>,
  prompt: { readonly text: string; readonly tokens: readonly Token[] },
  continuation: string,
): Token[] {
  const whole = tokenizer.tokenizePrompt(prompt.text + continuation)
  if (countShared(prompt.tokens, whole) === prompt.tokens.length) return whole.slice(prompt.tokens.length)
  return tokenizer.tokenize(continuation)
}
