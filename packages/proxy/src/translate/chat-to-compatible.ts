import type { ChatCompletionRequest, ChatRequestMessage } from '@svc/wire/openai'
import { dropAbsent } from '../fields.ts'
import { type HistoryEntry, toHistory } from './conversation.ts'
import { moveMediaOfResults } from './result-media.ts'
import { readSampling } from './sampling.ts'
import { type ToolChoice, toToolUse } from './tools.ts'

/** Choices of {@link chatToCompatible}, for upstreams that differ. */
export interface CompatibleOptions {
  /** Sends temperature and the like. @default false, because the newest models refuse them */
  readonly sendsSampling?: boolean | undefined
  /** The field of the limit of the answer. @default 'max_completion_tokens' */
  readonly limitField?: 'max_completion_tokens' | 'max_tokens' | undefined
  /** Asks for the figures of streams, which have none otherwise. @default true */
  readonly asksUsage?: boolean | undefined
}

/** Builds the request for an upstream of the compatible format. */
export function chatToCompatible(
  chat: ChatCompletionRequest,
  model: string,
  options: CompatibleOptions = {},
): ChatCompletionRequest {
  const { sendsSampling = false, limitField = 'max_completion_tokens', asksUsage = true } = options
  const limit = chat.max_completion_tokens ?? chat.max_tokens ?? 0
  const { functions, choice, parallel } = toToolUse(chat)
  const hasTools = functions.length > 0
  return {
    model,
    messages: moveMediaOfResults(toHistory(chat.messages)).map(toMessage),
    ...(sendsSampling ? readSampling(chat) : {}),
    ...dropAbsent({
      [limitField]: limit > 0 ? limit : undefined,
      frequency_penalty: chat.frequency_penalty || undefined,
      presence_penalty: chat.presence_penalty || undefined,
      stop: Array.isArray(chat.stop) && chat.stop.length === 0 ? undefined : chat.stop,
      tools: hasTools ? functions.map((definition) => ({ type: 'function', function: definition })) : undefined,
      tool_choice: hasTools ? writeChoice(choice) : undefined,
      parallel_tool_calls: hasTools ? parallel : undefined,
      response_format: typeof chat.response_format === 'string' ? { type: chat.response_format } : chat.response_format,
      reasoning_effort: chat.reasoning_effort,
    }),
    ...(chat.stream === true
      ? { stream: true, ...(asksUsage ? { stream_options: { include_usage: true } } : {}) }
      : {}),
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
