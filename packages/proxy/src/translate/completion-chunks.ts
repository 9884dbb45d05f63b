import type { ChatCompletion, ChatCompletionChunk, ChatDelta } from '@svc/wire/openai'
import { createDeltaChunk, createFinishChunk, createUsageChunk } from './chunks.ts'

/** Converts a whole reply to the chunks of a stream, for upstreams that ignore the request to stream. */
export function completionToChunks(completion: ChatCompletion): ChatCompletionChunk[] {
  const { id, model, created, usage } = completion
  const head = { id, model, created }
  const [choice] = completion.choices
  if (choice === undefined) return []
  const { content, reasoning, tool_calls: calls } = choice.message
  const deltas: ChatDelta[] = [
    { role: 'assistant', content: '' },
    ...(reasoning === undefined ? [] : [{ reasoning }]),
    ...(content === null || content === '' ? [] : [{ content }]),
    ...(calls ?? []).map((call, index) => ({ tool_calls: [{ ...call, index }] })),
  ]
  return [
    ...deltas.map((delta) => createDeltaChunk(head, delta)),
    createFinishChunk(head, choice.finish_reason),
    ...(usage === undefined ? [] : [createUsageChunk(head, usage)]),
  ]
}
