import type { JsonNode } from '@svc/json'
import type { MediaKind } from './shape.ts'

const MEDIA_TYPES: ReadonlyMap<string, MediaKind> = new Map([
  ...(['image', 'image_url', 'input_image', 'computer_screenshot'] as const).map((type) => [type, 'image'] as const),
  ...(['audio', 'audio_url', 'input_audio'] as const).map((type) => [type, 'audio'] as const),
  ...(['video', 'video_url', 'input_video'] as const).map((type) => [type, 'video'] as const),
  ...(['file', 'input_file', 'container_upload'] as const).map((type) => [type, 'file'] as const),
  // Parts of the AI SDK.
  ...(['image-data', 'image-url', 'image-file-id', 'image-file-reference'] as const).map(
    (type) => [type, 'image'] as const,
  ),
  ...(['file-data', 'file-url', 'file-id', 'file-reference', 'reasoning-file', 'media'] as const).map(
    (type) => [type, 'file'] as const,
  ),
])

/** The media of a part's type; a document counts as a file only with a source of that kind. */
export function findMedia(type: string): MediaKind | undefined {
  return MEDIA_TYPES.get(type)
}

const TOOL_PART_TYPES: ReadonlySet<string> = new Set([
  ...MEDIA_TYPES.keys(),
  ...['text', 'input_text', 'output_text', 'refusal', 'document', 'search_result', 'tool_reference'],
  ...['tool-result', 'tool-approval-response'],
  ...['web_search_result', 'web_search_tool_result_error', 'web_fetch_result'],
  ...['code_execution', 'bash_code_execution'].flatMap((tool) => [`${tool}_result`, `${tool}_output`]),
])

/**
 * Whether a tool's result consists of parts, instead of data of its own: objects that all name a type, one of them of a
 * part. A screenshot comes alone.
 */
export function isToolParts(node: JsonNode): boolean {
  if (node.kind === 'object') return TOOL_PART_TYPES.has(readType(node) ?? '')
  let hasPart = false
  for (const item of node.items()) {
    const type = readType(item)
    if (type === undefined) return false
    hasPart ||= TOOL_PART_TYPES.has(type)
  }
  return hasPart
}

function readType(node: JsonNode): string | undefined {
  const type = node.get('type')
  return type?.kind === 'string' ? type.text() : undefined
}
