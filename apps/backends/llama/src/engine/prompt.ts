import type { Token } from 'node-llama-cpp'
import type { ChatInput, ChatTemplate } from './chat-template.ts'
import type { Tokenizer } from './tokenizer.ts'

/** Source of a prompt: rendered text, or a conversation for the model's own template. */
export type PromptSource =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'chat'; readonly input: ChatInput }

/** The parts of a model that tokenizing a prompt uses. */
export interface PromptModel {
  readonly tokenizer: Tokenizer
  readonly chatTemplate: ChatTemplate
}

/**
 * Tokenizes a prompt, with one begin token in front if the model expects it. In given text the texts of special tokens
 * mean the tokens; in a conversation only the template's own texts do.
 */
export function toPromptTokens({ tokenizer, chatTemplate }: PromptModel, source: PromptSource): Token[] {
  if (source.kind === 'text') return tokenizer.tokenizePrompt(source.text)
  return tokenizer.tokenizeTemplate((protect) => chatTemplate.render(source.input, protect))
}
