import type { ChatCompletion, ChatCompletionChunk, ChatDelta, ChatReplyMessage } from '@svc/wire/openai'
import { createDeltaChunk, createFinishChunk, createUsageChunk } from './chunks.ts'
import { createThoughtDelta, readThinkingBlocks } from './thoughts.ts'

/** Converts a whole reply to the chunks of a stream, for upstreams that ignore the request to stream. */
export function completionToChunks(completion: ChatCompletion): ChatCompletionChunk[] {
  const { id, model, created, usage } = completion
  const head = { id, model, created }
  const [choice] = completion.choices
  if (choice === undefined) return []
  const { content, tool_calls: calls } = choice.message
  const deltas: ChatDelta[] = [
    { role: 'assistant', content: '' },
    ...toThoughtDeltas(choice.message),
    ...(content === null || content === '' ? [] : [{ content }]),
    ...(calls ?? []).map((call, index) => ({ tool_calls: [{ ...call, index }] })),
  ]
  return [
    ...deltas.map((delta) => createDeltaChunk(head, delta)),
    createFinishChunk(head, choice.finish_reason),
    ...(usage === undefined ? [] : [createUsageChunk(head, usage)]),
  ]
}

/** Thoughts with a signature come one by one, so that each keeps its own. */
function toThoughtDeltas(message: ChatReplyMessage): ChatDelta[] {
  const { reasoning } = message
  const blocks = readThinkingBlocks(message)
  const signed = blocks.map((block) => (block.type === 'thinking' ? block.thinking : '')).join('')
  // Some of the thoughts have no signature.
  if (signed !== (reasoning ?? '')) return [{ reasoning: reasoning ?? '' }, ...blocks.map(createThoughtDelta)]
  return blocks.flatMap((block) => {
    const text = block.type === 'thinking' ? block.thinking : ''
    return [...(text === '' ? [] : [{ reasoning: text }]), createThoughtDelta(block)]
  })
}
