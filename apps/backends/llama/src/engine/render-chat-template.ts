import { compileJinja, renderChatTemplate } from '@svc/templates'
import { invalidRequest } from '../errors.ts'

/** Variables of a chat template. */
export interface TemplateConversation {
  readonly messages: readonly ReadonlyMap<string, unknown>[]
  /** Declarations of tools; null without tools. */
  readonly tools: readonly unknown[] | null
  readonly bosToken: string
  readonly eosToken: string
  /** Further variables. They never replace the ones above. */
  readonly variables: Readonly<Record<string, unknown>>
}

/** A compiled chat template. */
export type RenderChatTemplate = (conversation: TemplateConversation) => string

/**
 * Compiles a chat template.
 *
 * @throws SvcError for a malformed template; the result throws a LlamaError `invalid_request` when the template refuses
 *   the conversation or fails on it
 */
export function compileChatTemplate(source: string): RenderChatTemplate {
  const template = compileJinja(source)
  return ({ variables, ...conversation }) => {
    try {
      return renderChatTemplate({ template, ...conversation, kwargs: variables, addGenerationPrompt: true })
    } catch (error) {
      const reason = error instanceof Error ? error.message : 'unknown fault'
      throw invalidRequest(`the model's chat template refuses these messages: ${reason}`, 'Messages')
    }
  }
}
