import type { GetPromptResult, ReadResourceResult } from '@modelcontextprotocol/sdk/types.js'
import type { ChatMessage } from '../inference/core/request.ts'
import { toToolContent } from './tool-result.ts'

/** Converts the messages of a prompt to those of a chat. Pictures and sounds become a note: they are not sent on. */
export function toChatMessages({ messages }: GetPromptResult): readonly ChatMessage[] {
  return messages.map(({ role, content }) => {
    const part = toToolContent(content)
    if (part.type === 'text') return { role, content: part.text }
    return { role, content: part.type === 'other' ? part.json : `(${part.type} of the type ${part.mediaType})` }
  })
}

/** Joins the texts of a resource. Parts without text become a note. */
export function toResourceText({ contents }: ReadResourceResult): string {
  return contents
    .map((part) => ('text' in part ? part.text : `(${part.mimeType ?? 'bytes'}, not text: ${part.uri})`))
    .join('\n')
}
