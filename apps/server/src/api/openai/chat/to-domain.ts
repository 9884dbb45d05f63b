import { SvcError } from '@svc/errors'
import { type ChatCompletionRequest, type ChatRequestMessage, isKnownContentPart } from '@svc/wire'
import type { ChatMessage, ChatRequest, GenerationOptions, ToolCall } from '../../../inference/request.ts'

type Role = ChatMessage['role']

const ROLES: Readonly<Record<ChatRequestMessage['role'], Role>> = {
  system: 'system',
  developer: 'system',
  user: 'user',
  assistant: 'assistant',
  tool: 'tool',
  function: 'tool',
}

/** A chat request of the compatible format in domain terms. */
export function chatToDomain(body: ChatCompletionRequest): ChatRequest {
  refuseUnbuilt(body)
  return {
    kind: 'chat',
    messages: body.messages.map(toMessage),
    generation: toGeneration(body),
    choices: body.n ?? 1,
    tools: body.tool_choice === 'none' ? undefined : (body.tools ?? undefined),
    toolChoice: body.tool_choice ?? undefined,
    reasoningEffort: body.reasoning_effort ?? undefined,
    metadata: body.metadata ?? undefined,
    stream: body.stream ?? false,
  }
}

/** What would change the answer and cannot be honoured is refused, never ignored. */
function refuseUnbuilt(body: ChatCompletionRequest): void {
  const format = typeof body.response_format === 'string' ? body.response_format : body.response_format?.type
  const unbuilt: readonly [string, boolean][] = [
    ['response_format', format !== undefined && format !== 'text'],
    ['grammar', (body.grammar ?? '') !== ''],
    ['grammar_json_functions', body.grammar_json_functions != null],
    ['functions', (body.functions?.length ?? 0) > 0],
  ]
  for (const [field, present] of unbuilt) if (present) throw unsupported(field, `${field} is not in this version`)
}

function unsupported(param: string, message: string): SvcError {
  return new SvcError('invalid_request', message, { code: 'unsupported_field', details: { param } })
}

function toMessage(message: ChatRequestMessage, index: number): ChatMessage {
  const calls = toToolCalls(message)
  return {
    role: ROLES[message.role],
    content: toText(message.content, index),
    name: message.name ?? undefined,
    toolCallId: message.tool_call_id ?? undefined,
    reasoning: message.reasoning ?? message.reasoning_content ?? undefined,
    toolCalls: calls.length > 0 ? calls : undefined,
  }
}

/** The text parts of a content, concatenated; media need a model that takes them. */
function toText(content: ChatRequestMessage['content'], index: number): string {
  if (content == null) return ''
  if (typeof content === 'string') return content
  return content
    .map((part, place) => {
      if (isKnownContentPart(part)) {
        if (part.type === 'text') return part.text
        if (part.type === 'refusal') return part.refusal
      }
      throw unsupported(`messages[${index}].content[${place}]`, 'this model takes text only')
    })
    .join('')
}

function toToolCalls(message: ChatRequestMessage): readonly ToolCall[] {
  const calls = (message.tool_calls ?? []).map((call) => ({
    id: call.id ?? '',
    name: call.function.name,
    arguments: call.function.arguments ?? '{}',
  }))
  const legacy = message.function_call
  return legacy == null ? calls : [...calls, { id: '', name: legacy.name, arguments: legacy.arguments ?? '{}' }]
}

function toStop(stop: ChatCompletionRequest['stop']): readonly string[] | undefined {
  if (stop == null) return undefined
  return (typeof stop === 'string' ? [stop] : stop).filter((word) => word !== '')
}

function toGeneration(body: ChatCompletionRequest): GenerationOptions {
  const logprobs = body.logprobs === true || (typeof body.logprobs === 'number' && body.logprobs > 0)
  return {
    temperature: body.temperature ?? undefined,
    topP: body.top_p ?? undefined,
    topK: body.top_k ?? undefined,
    minP: body.min_p ?? undefined,
    typicalP: body.typical_p ?? undefined,
    tfz: body.tfz ?? undefined,
    maxTokens: body.max_completion_tokens ?? body.max_tokens ?? undefined,
    stop: toStop(body.stop),
    seed: body.seed ?? undefined,
    repeatPenalty: body.repeat_penalty ?? undefined,
    repeatLastN: body.repeat_last_n ?? undefined,
    frequencyPenalty: body.frequency_penalty ?? undefined,
    presencePenalty: body.presence_penalty ?? undefined,
    nKeep: body.n_keep ?? undefined,
    batch: body.batch ?? undefined,
    ignoreEos: body.ignore_eos ?? undefined,
    logprobs,
    topLogprobs: logprobs ? (body.top_logprobs ?? 1) : undefined,
    logitBias: body.logit_bias ?? undefined,
    negativePrompt: body.negative_prompt ?? undefined,
    negativePromptScale: body.negative_prompt_scale ?? undefined,
    ropeFreqBase: body.rope_freq_base ?? undefined,
    ropeFreqScale: body.rope_freq_scale ?? undefined,
  }
}
