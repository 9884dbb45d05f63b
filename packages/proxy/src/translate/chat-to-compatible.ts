import type { ChatCompletionRequest, ChatRequestMessage } from '@svc/wire/openai'
import { dropAbsent } from '../fields.ts'
import { type HistoryEntry, toHistory } from './conversation.ts'
import { type ToolChoice, toToolUse } from './tools.ts'

/**
 * Builds the request for an upstream of the compatible format. Temperature and nucleus sampling are not sent, because
 * the newest models refuse them. Usage is always requested, because it is the only count of a stream.
 */
export function chatToCompatible(chat: ChatCompletionRequest, model: string): ChatCompletionRequest {
  const limit = chat.max_completion_tokens ?? chat.max_tokens ?? 0
  const { functions, choice, parallel } = toToolUse(chat)
  const hasTools = functions.length > 0
  return {
    model,
    messages: toHistory(chat.messages).map(toMessage),
    ...dropAbsent({
      max_completion_tokens: limit > 0 ? limit : undefined,
      frequency_penalty: chat.frequency_penalty || undefined,
      presence_penalty: chat.presence_penalty || undefined,
      stop: Array.isArray(chat.stop) && chat.stop.length === 0 ? undefined : chat.stop,
      tools: hasTools ? functions.map((definition) => ({ type: 'function', function: definition })) : undefined,
      tool_choice: hasTools ? writeChoice(choice) : undefined,
      parallel_tool_calls: hasTools ? parallel : undefined,
      response_format: typeof chat.response_format === 'string' ? { type: chat.response_format } : chat.response_format,
      reasoning_effort: chat.reasoning_effort,
    }),
    ...(chat.stream === true ? { stream: true, stream_options: { include_usage: true } } : {}),
  }
}

function writeChoice(choice: ToolChoice | undefined): unknown {
  return typeof choice === 'object' ? { type: 'function', function: choice } : choice
}

function toMessage(entry: HistoryEntry): ChatRequestMessage {
  if (entry.role === 'tool') return { role: 'tool', tool_call_id: entry.callId, content: writeContent(entry.content) }
  const { role, content, name, calls } = entry
  return {
    role,
    content: writeContent(content),
    ...(name === undefined ? {} : { name }),
    ...(calls.length === 0
      ? {}
      : {
          tool_calls: calls.map(({ id, name: called, arguments: given }) => ({
            id,
            type: 'function' as const,
            function: { name: called, arguments: given === '' ? '{}' : given },
          })),
        }),
  }
}

/** Upstreams do not know the names that local servers also accept for media. */
const TYPES: ReadonlyMap<string, string> = new Map([
  ['image', 'image_url'],
  ['video', 'video_url'],
  ['audio', 'audio_url'],
])

function writeContent(content: ChatRequestMessage['content']): ChatRequestMessage['content'] {
  if (!Array.isArray(content)) return content ?? null
  return content.map((part) => {
    const type = TYPES.get(part.type)
    return type === undefined ? part : { ...part, type }
  })
}
