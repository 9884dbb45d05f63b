import type { CallToolResult, ContentBlock } from '@modelcontextprotocol/sdk/types.js'
import type { ToolContent, ToolResult } from '../inference/tools/server-tools.ts'

/** Converts the answer of a tool. Structured content stands in where a tool answers nothing else. */
export function toToolResult({ content, structuredContent, isError }: CallToolResult): ToolResult {
  const parts = content.map(toToolContent)
  const isAlone = parts.length === 0 && structuredContent !== undefined
  return {
    content: isAlone ? [{ type: 'other', json: JSON.stringify(structuredContent) }] : parts,
    isError: isError === true,
  }
}

/** Converts a part of what a server says. */
export function toToolContent(block: ContentBlock): ToolContent {
  switch (block.type) {
    case 'text':
      return { type: 'text', text: block.text }
    case 'image':
    case 'audio':
      return { type: block.type, data: block.data, mediaType: block.mimeType }
    case 'resource':
      return fromResource(block)
    default:
      return { type: 'other', json: JSON.stringify(block) }
  }
}

function fromResource(block: Extract<ContentBlock, { readonly type: 'resource' }>): ToolContent {
  const { resource } = block
  if ('text' in resource) return { type: 'text', text: resource.text }
  const mediaType = resource.mimeType ?? ''
  const kind = /^(image|audio)\//.exec(mediaType)?.[1]
  if (kind === 'image' || kind === 'audio') return { type: kind, data: resource.blob, mediaType }
  return { type: 'other', json: JSON.stringify(block) }
}
