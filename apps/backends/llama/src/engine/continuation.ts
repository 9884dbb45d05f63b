import type { Token } from 'node-llama-cpp'
import { countShared } from './prefix-cache.ts'
import type { Tokenizer } from './tokenizer.ts'

/**
 * The tokens of a text that continues a prompt: the tokens of the whole text after the prompt's tokens. If the prompt
 * by itself has other tokens than inside the whole text: the tokens of the text by itself, as a model would write it.
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
