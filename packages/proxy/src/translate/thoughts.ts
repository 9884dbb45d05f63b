import type { ChatDelta } from '@svc/wire/openai'
import { type Fields, toFields, toList, toText } from '../fields.ts'

/**
 * A thought of a reply of the messages format that its upstream takes back only as it was: with its signature, or
 * encrypted. Replies carry them in `thinking_blocks`, beside the text in `reasoning`.
 */
export type ThinkingBlock =
  | { readonly type: 'thinking'; readonly thinking: string; readonly signature: string }
  | { readonly type: 'redacted_thinking'; readonly data: string }

/** Reads a block of the messages format; undefined for one that is not a thought, or has no signature. */
export function readThinkingBlock({ type, thinking, signature, data }: Fields): ThinkingBlock | undefined {
  if (type === 'redacted_thinking' && typeof data === 'string') return { type, data }
  if (type !== 'thinking' || typeof signature !== 'string' || signature === '') return undefined
  return { type, thinking: toText(thinking) ?? '', signature }
}

/** The thoughts of a delta, or of a whole message. */
export function readThinkingBlocks({ thinking_blocks: blocks }: Fields): ThinkingBlock[] {
  return toList(blocks).flatMap((block) => readThinkingBlock(toFields(block)) ?? [])
}

/** The delta that ends a thought whose text came before it, or gives an encrypted one. */
export function createThoughtDelta(block: ThinkingBlock): ChatDelta {
  return { thinking_blocks: [block.type === 'thinking' ? { ...block, thinking: '' } : block] }
}
