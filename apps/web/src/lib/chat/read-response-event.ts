import { isRecord } from '../api-error.ts'
import { readStreamFailure } from './read-chat-chunk.ts'
import type { StreamEvent } from './stream-events.ts'

/** Reads one event of a responses stream. The place of each event comes with it, so that a stream can be resumed. */
export function readResponseEvent(event: unknown): StreamEvent[] {
  if (!isRecord(event)) return []
  const { sequence_number: sequence } = event
  const place: StreamEvent[] = typeof sequence === 'number' ? [{ type: 'response', sequence }] : []
  return [...readContent(event), ...place]
}

function readContent(event: Record<string, unknown>): StreamEvent[] {
  const text = typeof event.delta === 'string' ? event.delta : ''
  switch (event.type) {
    case 'response.created':
      return readCreated(event.response)
    case 'response.output_text.delta':
    case 'response.refusal.delta':
      return [{ type: 'text', text }]
    case 'response.reasoning_text.delta':
    case 'response.reasoning_summary_text.delta':
      return [{ type: 'reasoning', text }]
    case 'response.output_item.added':
      return readAddedItem(event)
    case 'response.function_call_arguments.delta':
      return [{ type: 'call', key: String(event.output_index), text }]
    case 'response.completed':
    case 'response.incomplete':
      return readEnd(event.response, event.type === 'response.incomplete')
    case 'response.failed':
      return [readStreamFailure(isRecord(event.response) ? event.response.error : undefined)]
    case 'error':
      return [readStreamFailure(isRecord(event.error) ? event.error : event)]
    default:
      return []
  }
}

function readCreated(response: unknown): StreamEvent[] {
  if (!isRecord(response)) return []
  return [
    ...(typeof response.id === 'string' ? [{ type: 'response' as const, id: response.id }] : []),
    ...(typeof response.model === 'string' ? [{ type: 'model' as const, name: response.model }] : []),
  ]
}

function readAddedItem({ item, output_index: index }: Record<string, unknown>): StreamEvent[] {
  if (!isRecord(item) || item.type !== 'function_call') return []
  return [{ type: 'call', key: String(index), id: String(item.call_id), name: String(item.name), text: '' }]
}

function readEnd(response: unknown, isCut: boolean): StreamEvent[] {
  const usage = isRecord(response) && isRecord(response.usage) ? response.usage : {}
  const { input_tokens: prompt, output_tokens: tokens } = usage
  return [
    ...(typeof prompt === 'number' && typeof tokens === 'number' ? [{ type: 'usage' as const, prompt, tokens }] : []),
    { type: 'finish', isCut },
  ]
}
