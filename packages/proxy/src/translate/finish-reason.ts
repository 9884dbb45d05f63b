import type { ChatFinishReason } from '@svc/wire/openai'

const COMPATIBLE: ReadonlySet<unknown> = new Set<ChatFinishReason>([
  'stop',
  'length',
  'tool_calls',
  'function_call',
  'content_filter',
])

const OF_STOP_REASON: ReadonlyMap<unknown, ChatFinishReason> = new Map([
  ['end_turn', 'stop'],
  ['stop_sequence', 'stop'],
  ['pause_turn', 'stop'],
  ['max_tokens', 'length'],
  ['model_context_window_exceeded', 'length'],
  ['tool_use', 'tool_calls'],
])

/** Words of single upstreams of the compatible format. */
const SYNONYMS: ReadonlyMap<unknown, ChatFinishReason> = new Map([
  ['max_tokens', 'length'],
  ['model_length', 'length'],
])

/** The finish reason of the compatible format; an unknown word counts as an ordinary end. */
export function readFinishReason(value: unknown): ChatFinishReason {
  return isFinishReason(value) ? value : (SYNONYMS.get(value) ?? 'stop')
}

/** The finish reason for a stop reason of the messages format. */
export function toFinishReason(stopReason: unknown): ChatFinishReason {
  return OF_STOP_REASON.get(stopReason) ?? 'stop'
}

/**
 * Corrects a finish reason by the calls of its reply: some upstreams end calls with an ordinary reason, others name
 * calls without making any.
 */
export function endWithCalls(reason: ChatFinishReason, hasCalls: boolean): ChatFinishReason {
  if (!hasCalls) return withoutCalls(reason)
  return reason === 'stop' || reason === 'function_call' ? 'tool_calls' : reason
}

/** Replaces the finish reason for calls where no call is left. */
export function withoutCalls(reason: ChatFinishReason): ChatFinishReason {
  return reason === 'tool_calls' || reason === 'function_call' ? 'stop' : reason
}

function isFinishReason(value: unknown): value is ChatFinishReason {
  return COMPATIBLE.has(value)
}
