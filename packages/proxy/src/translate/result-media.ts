import type { ChatRequestMessage } from '@svc/wire/openai'
import { holdsMedia, isTextPart, joinContentText } from './content-text.ts'
import type { HistoryEntry } from './conversation.ts'

type ContentPart = Exclude<NonNullable<ChatRequestMessage['content']>, string>[number]

/**
 * Moves images and files of tool results into the user's turn behind them: upstreams of the compatible format take only
 * text in a result.
 */
export function moveMediaOfResults(history: readonly HistoryEntry[]): HistoryEntry[] {
  const entries: HistoryEntry[] = []
  let media: ContentPart[] = []
  for (const entry of history) {
    if (entry.role === 'tool') {
      media.push(...listMedia(entry.content))
      entries.push(holdsMedia(entry.content) ? { ...entry, content: joinContentText(entry.content) } : entry)
    } else if (entry.role === 'user' && media.length > 0) {
      entries.push({ ...entry, content: [...media, ...toParts(entry.content)] })
      media = []
    } else {
      entries.push(...toTurn(media), entry)
      media = []
    }
  }
  return [...entries, ...toTurn(media)]
}

function toTurn(media: ContentPart[]): HistoryEntry[] {
  return media.length === 0 ? [] : [{ role: 'user', content: media, name: undefined, calls: [] }]
}

function listMedia(content: ChatRequestMessage['content']): ContentPart[] {
  return Array.isArray(content) ? content.filter((part) => !isTextPart(part)) : []
}

function toParts(content: ChatRequestMessage['content']): ContentPart[] {
  if (Array.isArray(content)) return content
  return content == null || content === '' ? [] : [{ type: 'text', text: content }]
}
