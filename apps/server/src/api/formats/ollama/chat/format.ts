import { type OllamaChatRequest, type OllamaMessage, ollamaChatRequest } from '@svc/wire/ollama'
import type { ChatMessage, ChatRequest } from '../../../../inference/core/request.ts'
import { limitItems } from '../../../../inference/documents/limit-items.ts'
import { readBody } from '../../../../inference/documents/read-body.ts'
import type { WireFormat } from '../../../../inference/replies/wire-format.ts'
import { keepOwnTools } from '../../hosted-tools.ts'
import { MAX_MESSAGES } from '../../openai/limits.ts'
import type { AnswerFormat } from '../answer.ts'
import { toFields } from '../fields.ts'
import { type OllamaFormatParts, toEmptyRequest, toGenerationCall } from '../generation.ts'
import { toAttachments } from '../images.ts'
import { toForm, toGeneration, toThinking } from '../to-generation.ts'

const format: AnswerFormat = {
  piece: ({ text, thinking, toolCalls }) => ({
    message: {
      role: 'assistant',
      content: text,
      ...(thinking === undefined ? {} : { thinking }),
      ...(toolCalls === undefined ? {} : { tool_calls: toolCalls }),
    },
  }),
}

/** The wire format of `POST /api/chat`. */
export function createChatFormat(parts: OllamaFormatParts): WireFormat {
  return {
    async read(document, { signal }) {
      const startedAt = parts.clock.monotonic()
      limitItems(document, 'messages', MAX_MESSAGES)
      const body = await readBody(ollamaChatRequest, document, signal)
      const messages = body.messages ?? []
      const isEmpty = messages.length === 0
      const fields = toFields(body, startedAt, isEmpty)
      const request = isEmpty ? toEmptyRequest(fields) : toChatRequest(body, messages, fields.stream)
      return toGenerationCall(request, { fields, format }, parts)
    },
  }
}

function toChatRequest(body: OllamaChatRequest, messages: readonly OllamaMessage[], stream: boolean): ChatRequest {
  const { own, warnings } = keepOwnTools(body.tools ?? [], isFunction)
  const tools = own.map((tool) => ({ ...tool, type: 'function' }))
  return {
    kind: 'chat',
    messages: messages.map(toMessage),
    generation: toGeneration(body),
    choices: 1,
    tools: tools.length > 0 ? tools : undefined,
    warnings,
    structuredOutput: toForm(body.format),
    stream,
    ...toThinking(body.think),
  }
}

type Tool = NonNullable<OllamaChatRequest['tools']>[number]

function isFunction(tool: Tool): tool is Extract<Tool, { readonly function: object }> {
  return tool.function !== undefined
}

function toMessage(message: OllamaMessage, index: number): ChatMessage {
  const calls = (message.tool_calls ?? []).map((call, place) => ({
    index: call.function.index ?? place,
    id: call.id ?? '',
    name: call.function.name,
    arguments: JSON.stringify(call.function.arguments ?? {}),
  }))
  return {
    role: message.role,
    content: message.content ?? '',
    ...toAttachments(message.images, `messages[${index}].images`),
    name: message.tool_name ?? undefined,
    toolCallId: message.tool_call_id ?? undefined,
    reasoning: message.thinking ?? undefined,
    toolCalls: calls.length > 0 ? calls : undefined,
  }
}
