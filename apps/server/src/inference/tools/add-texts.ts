import type { Turns } from '../core/turns.ts'
import { appendToUser, type Conversation, startWith } from './conversation.ts'
import type { OpenedTools } from './open-tools.ts'
import { restoreWanted } from './restore-hosted.ts'

/** Adds the prompt and the resources that a request names, filtered by its policy. */
export async function addTexts(
  conversation: Conversation,
  { opened, turns }: { readonly opened: OpenedTools; readonly turns: Turns },
): Promise<Conversation> {
  const wanted = conversation.request.serverTexts
  if (wanted === undefined) return conversation
  const { messages, resources } = await opened.texts(restoreWanted(wanted, turns))
  const filtered = await turns.filter([...messages.map(({ content }) => content), ...resources.map(({ text }) => text)])
  const prompt = messages.map((message, index) => ({ ...message, content: filtered[index] ?? '' }))
  // The model reads the addresses as the filter left them.
  const texts = (wanted.resources ?? []).map(
    (uri, index) => `Resource ${uri}:\n${filtered[messages.length + index] ?? ''}`,
  )
  const started = startWith(conversation, prompt)
  return texts.length === 0 ? started : appendToUser(started, texts.join('\n\n'))
}
