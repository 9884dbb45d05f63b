import { isRecord } from '../api-error.ts'
import type { ServerCall, StreamEvent } from './stream-events.ts'

/** Reads one frame of a chat-completions stream. Ignores unknown frames and fields. */
export function readChatChunk(frame: unknown): StreamEvent[] {
  if (!isRecord(frame)) return []
  if (frame.error !== undefined) return [readStreamFailure(frame.error)]
  const events: StreamEvent[] = []
  if (typeof frame.model === 'string' && frame.model !== '') events.push({ type: 'model', name: frame.model })
  events.push(...readServerTools(frame))
  const choice: unknown = Array.isArray(frame.choices) ? frame.choices[0] : undefined
  if (isRecord(choice)) events.push(...readChoice(choice))
  if (isRecord(frame.usage)) {
    const { prompt_tokens: prompt, completion_tokens: tokens } = frame.usage
    if (typeof prompt === 'number' && typeof tokens === 'number') events.push({ type: 'usage', prompt, tokens })
  }
  return events
}

function readServerTools(frame: Record<string, unknown>): StreamEvent[] {
  const { mcp_tool_call: call, mcp_approval_request: request, mcp_tool_result: result } = frame
  return [
    ...(isRecord(call) ? [{ type: 'server-call', isAsked: false, ...readServerCall(call) } as const] : []),
    ...(isRecord(request) ? [{ type: 'server-call', isAsked: true, ...readServerCall(request) } as const] : []),
    ...(isRecord(result) ? [readResult(result)] : []),
  ]
}

function readServerCall({ id, server, tool, name, arguments: text }: Record<string, unknown>): ServerCall {
  return { id: String(id), server: String(server), tool: String(tool), name: String(name), text: String(text ?? '') }
}

function readResult({ id, name, result, is_error: isError }: Record<string, unknown>): StreamEvent {
  const text = typeof result === 'string' ? result : JSON.stringify(result ?? null)
  const isFailed = typeof isError === 'boolean' ? isError : text.startsWith('Error: ')
  return { type: 'result', ...(typeof id === 'string' && { id }), name: String(name), text, isFailed }
}

function readChoice(choice: Record<string, unknown>): StreamEvent[] {
  const events: StreamEvent[] = []
  const delta = isRecord(choice.delta) ? choice.delta : {}
  // both names carry the same text where a server sends both
  const reasoning = delta.reasoning_content ?? delta.reasoning
  if (typeof reasoning === 'string' && reasoning !== '') events.push({ type: 'reasoning', text: reasoning })
  if (typeof delta.content === 'string' && delta.content !== '') events.push({ type: 'text', text: delta.content })
  if (typeof delta.refusal === 'string' && delta.refusal !== '') events.push({ type: 'text', text: delta.refusal })
  for (const call of Array.isArray(delta.tool_calls) ? delta.tool_calls : []) {
    if (!isRecord(call)) continue
    const called = isRecord(call.function) ? call.function : {}
    events.push({
      type: 'call',
      key: String(call.index ?? call.id ?? 0),
      ...(typeof call.id === 'string' && { id: call.id }),
      ...(typeof called.name === 'string' && { name: called.name }),
      text: typeof called.arguments === 'string' ? called.arguments : '',
    })
  }
  if (typeof choice.finish_reason === 'string')
    events.push({ type: 'finish', isCut: choice.finish_reason === 'length' })
  return events
}

/** Reads the error inside of a stream that had already begun. */
export function readStreamFailure(error: unknown): StreamEvent {
  const fields = isRecord(error) ? error : {}
  const message = typeof error === 'string' ? error : fields.message
  const code = fields.type ?? fields.code
  return {
    type: 'failure',
    message: typeof message === 'string' && message !== '' ? message : 'The server ended the answer with an error.',
    ...(typeof code === 'string' && { code }),
  }
}
