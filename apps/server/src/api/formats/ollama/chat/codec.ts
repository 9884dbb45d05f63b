import { type OllamaMessage, ollamaChatRequest } from '@svc/wire/ollama'
import type { GenerationCodec } from '../../../../inference/codec.ts'
import { limitItems } from '../../../../inference/limit-items.ts'
import { readBody } from '../../../../inference/read-body.ts'
import type { ChatMessage } from '../../../../inference/request.ts'
import type { Clock } from '../../../../ports.ts'
import { MAX_MESSAGES } from '../../openai/limits.ts'
import { type AnswerFormat, collectAnswer, streamAnswer } from '../answer.ts'
import { type OllamaGeneration, toEmptyRequest, toFields } from '../generation.ts'
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

/** The two ends of `POST /api/chat`. */
export function createChatCodec(clock: Clock): GenerationCodec<OllamaGeneration> {
  return {
    async parse(document, { signal }) {
      const startedAt = clock.monotonic()
      limitItems(document, 'messages', MAX_MESSAGES)
      const body = await readBody(ollamaChatRequest, document, signal)
      const fields = toFields(body, startedAt)
      const messages = body.messages ?? []
      if (messages.length === 0) return toEmptyRequest(fields)
      const tools = (body.tools ?? []).map((tool) => ({ ...tool, type: 'function' }))
      return {
        ...fields,
        kind: 'chat',
        messages: messages.map(toMessage),
        generation: toGeneration(body),
        choices: 1,
        tools: tools.length > 0 ? tools : undefined,
        structuredOutput: toForm(body.format),
        ...toThinking(body.think),
      }
    },
    stream: (request, facts) => streamAnswer(facts, { request, format, clock }),
    collect: (request, facts) => collectAnswer(facts, { request, format, clock }),
  }
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
