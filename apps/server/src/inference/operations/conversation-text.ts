import type { PromptMessage } from '../prompt/prompt-input.ts'
import type { OperationContext } from './operation-runner.ts'

/**
 * A conversation as one text: by the templates of the model's file when it has them for chats and for their messages,
 * else a line a message, empty ones left out.
 */
export async function conversationText(
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
