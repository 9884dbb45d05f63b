import { type ChatRequestMessage, isKnownContentPart } from '@svc/wire/openai'

/** The text of a message's content: all text parts joined. */
export function joinContentText(content: ChatRequestMessage['content']): string {
  if (content == null) return ''
  if (typeof content === 'string') return content
  return content.map(readPart).join('')
}

type ContentPart = Exclude<NonNullable<ChatRequestMessage['content']>, string>[number]

/** The text of a part; empty for other parts. */
function readPart(part: ContentPart): string {
  if (!isKnownContentPart(part)) return ''
  if (part.type === 'text') return part.text
  return part.type === 'refusal' ? part.refusal : ''
}

/** Whether a message's content holds anything other than text. */
export function holdsMedia(content: ChatRequestMessage['content']): boolean {
  return Array.isArray(content) && content.some((part) => part.type !== 'text' && part.type !== 'refusal')
}
