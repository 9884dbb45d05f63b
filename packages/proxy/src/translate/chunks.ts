import type { ChatCompletionChunk, ChatDelta, ChatFinishReason, CompletionUsage } from '@svc/wire/openai'

/** Fields that all chunks of a stream share. */
export interface ChunkHead {
  readonly id: string
  readonly model: string
  /** Seconds since the epoch. */
  readonly created: number
}

/** A chunk that adds something to the one choice. */
export function createDeltaChunk(head: ChunkHead, delta: ChatDelta): ChatCompletionChunk {
  return { ...head, object: 'chat.completion.chunk', choices: [{ index: 0, delta, finish_reason: null }] }
}

/** The chunk that ends the choice. */
export function createFinishChunk(head: ChunkHead, reason: ChatFinishReason): ChatCompletionChunk {
  return { ...head, object: 'chat.completion.chunk', choices: [{ index: 0, delta: {}, finish_reason: reason }] }
}

/** The last chunk of a stream with known figures. */
export function createUsageChunk(head: ChunkHead, usage: CompletionUsage): ChatCompletionChunk {
  return { ...head, object: 'chat.completion.chunk', choices: [], usage }
}
