/** The types of content blocks that this server knows; media types may also be in a tool's result. */
const MEDIA_BLOCK_TYPES = ['text', 'image', 'document'] as const
const BLOCK_TYPES = [...MEDIA_BLOCK_TYPES, 'tool_use', 'tool_result', 'thinking', 'redacted_thinking'] as const

type KnownBlockType = (typeof BLOCK_TYPES)[number]

const MEDIA: ReadonlySet<string> = new Set(MEDIA_BLOCK_TYPES)
const KNOWN: ReadonlySet<string> = new Set(BLOCK_TYPES)

export const isMediaBlockType = (type: string): boolean => MEDIA.has(type)

export const isKnownBlockType = (type: string): type is KnownBlockType => KNOWN.has(type)

/** Whether a block is of a type this server knows, so that switching on `type` sees its fields. */
export function isKnownMessagesBlock<Block extends { readonly type: string }>(
  block: Block,
): block is Extract<Block, { readonly type: KnownBlockType }> {
  return isKnownBlockType(block.type)
}
