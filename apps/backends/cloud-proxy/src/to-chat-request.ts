import type { Message, PredictOptions } from '@svc/backend-client/proto'
import type { Log } from '@svc/backend-kit'
import { type ChatCompletionRequest, type ChatRequestMessage, chatCompletionRequest } from '@svc/wire/openai'
import { parseBody } from '@svc/wire/parse-body'

/**
 * Converts a request of the contract to the chat format. A prompt becomes one message of the user; invalid JSON in JSON
 * fields is left out.
 *
 * @throws {SvcError} `invalid_request`, code `invalid_body`
 */
export function toChatRequest(request: PredictOptions, log: Log): ChatCompletionRequest {
  const dropped = [
    ...(request.Grammar === '' ? [] : ['grammar']),
    ...(request.Audios.length === 0 ? [] : ['audio']),
    ...(request.Videos.length === 0 ? [] : ['video']),
  ]
  if (dropped.length > 0) log.warn(`cannot be translated, left out: ${dropped.join(', ')}`)
  return parseBody(chatCompletionRequest, {
    messages: withImages(toMessages(request), request.Images),
    max_tokens: request.Tokens,
    // Only a model with the option `sampling:send` sends these.
    temperature: toShortest(request.Temperature),
    top_p: toShortest(request.TopP) || undefined,
    top_k: request.TopK || undefined,
    min_p: toShortest(request.MinP) || undefined,
    seed: request.Seed || undefined,
    frequency_penalty: clampPenalty(request.FrequencyPenalty),
    presence_penalty: clampPenalty(request.PresencePenalty),
    stop: request.StopPrompts,
    tools: parseJson(request.Tools),
    tool_choice: toToolChoice(request.ToolChoice),
    reasoning_effort: request.Metadata.reasoning_effort,
  })
}

/** The contract has numbers of 32 bits: 0.7 is 0.699999988079071 in one of 64. */
function toShortest(value: number): number {
  return Number(value.toPrecision(7))
}

function toMessages({ Messages: messages, Prompt: prompt }: PredictOptions): unknown[] {
  return messages.length > 0 ? messages.map(toMessage) : [{ role: 'user', content: prompt }]
}

function toMessage({ role, content, name, toolCallId, toolCalls, reasoningContent }: Message): unknown {
  const calls = parseJson(toolCalls)
  return {
    role,
    content,
    ...(name === '' ? {} : { name }),
    ...(toolCallId === '' ? {} : { tool_call_id: toolCallId }),
    ...(reasoningContent === '' ? {} : { reasoning_content: reasoningContent }),
    ...(Array.isArray(calls) && calls.length > 0 ? { tool_calls: calls } : {}),
  }
}

/** Media types by the first base64 characters of an image. */
const MEDIA_TYPES = [
  ['/9j/', 'image/jpeg'],
  ['R0lG', 'image/gif'],
  ['UklG', 'image/webp'],
  ['iVBO', 'image/png'],
] as const

/** The contract has images beside the conversation: they belong to the user's last message. */
function withImages(messages: unknown[], images: readonly string[]): unknown[] {
  if (images.length === 0) return messages
  const place = messages.findLastIndex((message) => isUser(message))
  const parts = images.map((data) => ({ type: 'image_url', image_url: { url: toUrl(data) } }))
  return messages.map((message, index) => {
    if (index !== place || !isUser(message)) return message
    const text = typeof message.content === 'string' && message.content !== '' ? message.content : undefined
    return { ...message, content: [...(text === undefined ? [] : [{ type: 'text', text }]), ...parts] }
  })
}

function isUser(message: unknown): message is ChatRequestMessage {
  return typeof message === 'object' && message !== null && 'role' in message && message.role === 'user'
}

function toUrl(data: string): string {
  if (/^(?:data:|https?:)/i.test(data)) return data
  const type = MEDIA_TYPES.find(([head]) => data.startsWith(head))?.[1] ?? 'image/png'
  return `data:${type};base64,${data}`
}

function toToolChoice(choice: string): unknown {
  const parsed = parseJson(choice)
  if (parsed !== undefined && parsed !== null) return parsed
  return /^(?:auto|none|required|any)$/.test(choice) ? choice : undefined
}

function parseJson(text: string): unknown {
  if (text === '') return undefined
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** The contract has 32-bit numbers without a range. */
function clampPenalty(penalty: number): number {
  return Number.isFinite(penalty) ? Math.min(2, Math.max(-2, penalty)) : 0
}
