import type { ToolContent, ToolResult } from './server-tools.ts'

/** A picture or a sound that a tool gave. */
export type ToolMedium = Extract<ToolContent, { type: 'image' | 'audio' }>

/** The answer of a tool as text, with the media beside it. */
export interface ResultText {
  readonly text: string
  readonly media: readonly ToolMedium[]
}

/**
 * Writes the answer of a tool as text: one part as it is, several as a JSON array, none as `[]`. Media that the model
 * takes are noted and given beside the text, others are only noted.
 */
export function toResultText({ content, isError }: ToolResult, accepts: ReadonlySet<string>): ResultText {
  const media = content.filter((part): part is ToolMedium => isMedium(part) && accepts.has(part.type))
  const text = writeParts(content, accepts)
  return { text: isError ? `Error: ${text}` : text, media }
}

function writeParts(content: readonly ToolContent[], accepts: ReadonlySet<string>): string {
  const [first, ...others] = content
  if (first === undefined) return '[]'
  if (others.length > 0) return `[${content.map((part) => toJson(part, accepts)).join(',')}]`
  if (first.type === 'text') return first.text
  return isMedium(first) ? toNote(first, accepts) : first.json
}

function toJson(part: ToolContent, accepts: ReadonlySet<string>): string {
  if (part.type === 'other') return part.json
  return JSON.stringify(part.type === 'text' ? part.text : toNote(part, accepts))
}

function toNote({ type, mediaType }: ToolMedium, accepts: ReadonlySet<string>): string {
  const name = `${type === 'image' ? 'a picture' : 'a sound'} of the type ${mediaType}`
  return accepts.has(type) ? `${name}: see the next message` : `${name} is left out: the model takes none`
}

function isMedium(part: ToolContent): part is ToolMedium {
  return part.type === 'image' || part.type === 'audio'
}

/** Cuts a text to a number of bytes, between two characters, and notes it. A text that fits stays as it is. */
export function cutText(text: string, maxBytes: number): string {
  // A UTF-16 code unit has at most three bytes.
  if (text.length * 3 <= maxBytes) return text
  const bytes = Buffer.from(text)
  if (bytes.length <= maxBytes) return text
  let end = maxBytes
  while (end > 0 && ((bytes[end] ?? 0) & 0xc0) === 0x80) end -= 1
  return `${bytes.toString('utf8', 0, end)}\n[cut: ${end} of ${bytes.length} bytes]`
}
