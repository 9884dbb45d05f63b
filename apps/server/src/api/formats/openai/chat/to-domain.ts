import { SvcError } from '@svc/errors'
import { toStructuredOutput } from '@svc/structured-output'
import type { ChatCompletionRequest, ChatRequestMessage } from '@svc/wire/openai'
import type { ChatMessage, ChatRequest, ToolCall } from '../../../../inference/core/request.ts'
import { toGeneration } from '../to-generation.ts'
import { toContent } from './content.ts'
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

/** Converts a chat request of the compatible format. */
export function chatToDomain(body: ChatCompletionRequest, logitBias?: string | undefined): ChatRequest {
  const tools = toToolRequest(body)
  if (tools.tools !== undefined && (body.grammar ?? '') !== '') throw grammarBesideTools()
  return {
    kind: 'chat',
    messages: body.messages.map(toMessage),
    generation: toGeneration(body, logitBias),
    choices: body.n ?? 1,
    ...tools,
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
