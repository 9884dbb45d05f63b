import type { PromptMessage } from '../prompt/prompt-input.ts'
import type { OperationContext } from './operation-runner.ts'

/**
 * Writes a conversation as one text: with the templates of the model file when it has both for chats and messages, else
 * with one line for each message, without empty ones.
 */
export async function writeConversation(
  messages: readonly PromptMessage[],
  { model, prompts, signal }: Pick<OperationContext, 'model' | 'prompts' | 'signal'>,
): Promise<string> {
  const { chat, chatMessage } = model.template
  if (prompts !== undefined && chat && chatMessage) {
    const written = await prompts.chat(model, { messages }, { signal })
    if (written.mode === 'prompt') return written.prompt
  }
  return messages
    .filter(({ content }) => content !== '')
    .map(({ role, content }) => `${role}: ${content}`)
    .join('\n')
}
