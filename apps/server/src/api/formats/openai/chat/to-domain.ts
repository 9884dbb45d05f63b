import { SvcError } from '@svc/errors'
import { toStructuredOutput } from '@svc/structured-output'
import {
  type ChatCompletionRequest,
  type ChatContentPart,
  type ChatRequestMessage,
  isKnownContentPart,
} from '@svc/wire/openai'
import type { ChatMessage, ChatRequest, ToolCall } from '../../../../inference/core/request.ts'
import type { Attachment } from '../../../../inference/media/attachment.ts'
import { readServerFields } from '../../server-fields.ts'
import { toGeneration } from '../to-generation.ts'
import { toToolRequest } from './tools.ts'

type Role = ChatMessage['role']

const ROLES: Readonly<Record<ChatRequestMessage['role'], Role>> = {
  system: 'system',
  developer: 'system',
  user: 'user',
  assistant: 'assistant',
  tool: 'tool',
  function: 'function',
}

/** Options of {@link chatToDomain}. */
export interface ChatToDomainOptions {
  /** A map of biases that was taken out of the body. */
  readonly logitBias?: string | undefined
  /** Whether the request has the tools of all servers of its model, unless it names some. @default false */
  readonly allServers?: boolean | undefined
}

/** Converts a chat request of the compatible format. */
export function chatToDomain(body: ChatCompletionRequest, options: ChatToDomainOptions = {}): ChatRequest {
  const { logitBias, allServers = false } = options
  const { hosted, serverTexts, approvals } = readServerFields(body.metadata ?? undefined, {
    usual: allServers ? [{ kind: 'model-servers', required: true }] : [],
    required: allServers,
  })
  const { tools, hostedTools, toolChoice, parallelToolCalls, warnings } = toToolRequest(body, { hosted })
  const hasTools = tools !== undefined || hostedTools !== undefined
  if (hasTools && (body.grammar ?? '') !== '') throw grammarBesideTools()
  return {
    kind: 'chat',
    messages: body.messages.map(toMessage),
    generation: toGeneration(body, logitBias),
    choices: body.n ?? 1,
    tools,
    hostedTools,
    toolChoice,
    parallelToolCalls,
    warnings,
    serverTexts,
    approvals,
    structuredOutput: toStructuredOutput({
      responseFormat: body.response_format,
      grammar: body.grammar,
      grammarJsonFunctions: body.grammar_json_functions,
    }),
    echo: body.echo ?? undefined,
    reasoningEffort: body.reasoning_effort ?? undefined,
    metadata: body.metadata ?? undefined,
    stream: body.stream ?? false,
  }
}

function grammarBesideTools(): SvcError {
  return new SvcError('invalid_request', 'grammar: cannot be combined with tools', {
    code: 'conflicting_fields',
    details: { param: 'grammar' },
  })
}

/** Converts a message; `index` is its place, for refusals. */
export function toMessage(message: ChatRequestMessage, index: number): ChatMessage {
  const calls = toToolCalls(message)
  return {
    role: ROLES[message.role],
    ...toContent(message.content, index),
    name: message.name ?? undefined,
    toolCallId: message.tool_call_id ?? undefined,
    reasoning: message.reasoning ?? message.reasoning_content ?? undefined,
    toolCalls: calls.length > 0 ? calls : undefined,
    functionCall: message.function_call ?? undefined,
  }
}

function toToolCalls(message: ChatRequestMessage): readonly ToolCall[] {
  return (message.tool_calls ?? []).map((call) => ({
    index: call.index ?? undefined,
    id: call.id ?? '',
    name: call.function.name,
    arguments: call.function.arguments ?? '{}',
  }))
}

type MessageContent = Pick<ChatMessage, 'content' | 'attachments' | 'media'>

/**
 * Converts the content of a message: joined text parts, and the media beside them.
 *
 * @param index the message's place, for refusals
 */
function toContent(content: ChatRequestMessage['content'], index: number): MessageContent {
  if (content == null) return { content: '' }
  if (typeof content === 'string') return { content }
  const texts: string[] = []
  const attachments: Attachment[] = []
  for (const [place, part] of content.entries()) {
    const param = `messages[${index}].content[${place}]`
    if (!isKnownContentPart(part)) throw unsupported(param, `parts of the type "${part.type}" are not known`)
    if (part.type === 'text') texts.push(part.text)
    else if (part.type === 'refusal') texts.push(part.refusal)
    else attachments.push(toAttachment(part, param))
  }
  return {
    content: texts.join(''),
    media: { images: 0, audio: 0, video: 0 },
    ...(attachments.length > 0 ? { attachments } : {}),
  }
}

/** A part that is not text. */
type MediaPart = Exclude<ChatContentPart, { type: 'text' | 'refusal' }>

function toAttachment(part: MediaPart, param: string): Attachment {
  switch (part.type) {
    case 'image_url':
    case 'image':
      return { kind: 'image', source: { url: part.image_url.url }, param }
    case 'video_url':
    case 'video':
      return { kind: 'video', source: { url: part.video_url.url }, param }
    case 'audio_url':
    case 'audio':
      return { kind: 'audio', source: { url: part.audio_url.url }, param }
    case 'input_audio':
      // `format` is a word like `wav`; the data show the same.
      return { kind: 'audio', source: { base64: part.input_audio.data }, param }
    case 'file': {
      const { file_data: data, file_id: id } = part.file
      if (data != null) return { kind: 'file', source: { base64: data }, param }
      throw unsupported(param, id == null ? 'file_data is needed' : 'files are not kept here: send file_data')
    }
  }
}

function unsupported(param: string, message: string): SvcError {
  return new SvcError('invalid_request', `${param}: ${message}`, { code: 'unsupported_field', details: { param } })
}
