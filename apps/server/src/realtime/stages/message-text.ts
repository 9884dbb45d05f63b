import type { StageMessage } from '../ports.ts'

/** The text of a message, without its media. */
export function readMessageText({ content }: StageMessage): string {
  if (typeof content === 'string') return content
  if (!Array.isArray(content)) return ''
  return content.map((part: unknown) => readPart(part)).join('')
}

function readPart(part: unknown): string {
  return typeof part === 'object' && part !== null && 'text' in part && typeof part.text === 'string' ? part.text : ''
}
