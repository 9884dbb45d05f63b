import { type ChatRequestMessage, isKnownContentPart } from '@svc/wire/openai'

/** The text of a message's content: all text parts, each a paragraph of its own. */
export function joinContentText(content: ChatRequestMessage['content']): string {
  if (content == null) return ''
  if (typeof content === 'string') return content
  return joinParagraphs(content.map(readPart))
}

/** Joins texts that were separate with a blank line. */
function joinParagraphs(texts: readonly string[]): string {
  return texts.filter((text) => text !== '').join('\n\n')
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
  return Array.isArray(content) && !content.every(isTextPart)
}

/** Whether a part is text. */
export function isTextPart({ type }: ContentPart): boolean {
  return type === 'text' || type === 'refusal'
}
