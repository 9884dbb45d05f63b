import type { Token } from 'node-llama-cpp'
import { countShared } from './prefix-cache.ts'
import type { Tokenizer } from './tokenizer.ts'

/**
 * Tokens of a text that continues a prompt: those that the whole text has behind the prompt, or, where the prompt would
 * be cut differently with something behind it, those of the text alone, as a model would write it.
 */
export function tokenizeContinuation(tokenizer: Tokenizer, prompt: string, continuation: string): Token[] {
  const before = tokenizer.tokenizePrompt(prompt)
  const whole = tokenizer.tokenizePrompt(prompt + continuation)
  if (countShared(before, whole) === before.length) return whole.slice(before.length)
  return tokenizer.tokenize(continuation)
}
