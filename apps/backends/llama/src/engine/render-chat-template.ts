import { Template } from '@huggingface/jinja'
import { invalidRequest } from '../errors.ts'

/** Names a chat template sees and their values. */
export type TemplateVariables = Readonly<Record<string, unknown>>

/** A compiled chat template: the seam behind which the renderer can change. */
export type RenderChatTemplate = (variables: TemplateVariables) => string

/**
 * Compiles a chat template.
 *
 * @throws SyntaxError or the like where the template is malformed; the result throws a LlamaError
 * `invalid_request` where the template refuses the conversation or fails on it
 */
export function compileChatTemplate(source: string): RenderChatTemplate {
  const template = new Template(source)
  return (variables) => {
    try {
      return template.render({ ...variables })
    } catch (error) {
      const reason = error instanceof Error ? error.message : 'unknown fault'
      throw invalidRequest(`the model's chat template refuses these messages: ${reason}`, 'Messages')
    }
  }
}
