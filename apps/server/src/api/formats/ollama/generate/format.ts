import { SvcError } from '@svc/errors'
import { type OllamaGenerateRequest, ollamaGenerateRequest } from '@svc/wire/ollama'
import type { ChatMessage, GenerationRequest } from '../../../../inference/core/request.ts'
import { limitItems } from '../../../../inference/documents/limit-items.ts'
import { readBody } from '../../../../inference/documents/read-body.ts'
import type { WireFormat } from '../../../../inference/replies/wire-format.ts'
import type { AnswerFormat } from '../answer.ts'
import { toFields } from '../fields.ts'
import { type OllamaFormatParts, toEmptyRequest, toGenerationCall } from '../generation.ts'
import { toAttachments } from '../images.ts'
import { toForm, toGeneration, toThinking } from '../to-generation.ts'
import { type CarriedMessage, decodeContext, encodeContext, findContextTexts, MAX_CONTEXT } from './context.ts'
import { renderOwnTemplate } from './own-template.ts'

/** The wire format of `POST /api/generate`. */
export function createGenerateFormat(parts: OllamaFormatParts): WireFormat {
  return {
    async read(document, { signal }) {
      const startedAt = parts.clock.monotonic()
      limitItems(document, 'context', MAX_CONTEXT)
      const body = await readBody(ollamaGenerateRequest, document, signal)
      const fields = toFields(body, startedAt, isEmpty(body))
      const request = isEmpty(body) ? toEmptyRequest(fields) : toDomain(body, fields.stream)
      return toGenerationCall(request, { fields, format: createAnswerFormat(request) }, parts)
    },
    hiddenTexts: findContextTexts,
  }
}

function isEmpty({ prompt, suffix, images }: OllamaGenerateRequest): boolean {
  return (prompt ?? '') === '' && (suffix ?? '') === '' && (images ?? []).length === 0
}

/** Converts a body to a conversation of one message, or to a text that goes to the model unchanged. */
function toDomain(body: OllamaGenerateRequest, stream: boolean): GenerationRequest {
  const common = {
    stream,
    generation: toGeneration(body),
    choices: 1,
    structuredOutput: toForm(body.format),
    ...toThinking(body.think),
  }
  const text = toRawPrompt(body)
  if (text !== undefined && (body.images ?? []).length > 0) {
    throw unsupported('images', 'only the template of the model places images')
  }
  if (text !== undefined) return { ...common, kind: 'completion', prompts: [text], raw: true }
  return { ...common, kind: 'chat', messages: toMessages(body) }
}

/** Gives the text when the request itself makes the prompt; undefined when the model's template does. */
function toRawPrompt({ prompt, suffix, system, template, raw }: OllamaGenerateRequest): string | undefined {
  if (template != null && template !== '' && raw !== true) {
    return renderOwnTemplate(template, { prompt: prompt ?? '', suffix: suffix ?? '', system: system ?? '' })
  }
  if (suffix != null && suffix !== '') {
    throw unsupported('suffix', 'this model does not support insert; a template of your own may')
  }
  return raw === true ? (prompt ?? '') : undefined
}

/** A system text of the request replaces the carried one. */
function toMessages({ prompt, system, context, images }: OllamaGenerateRequest): ChatMessage[] {
  const carried = decodeContext(context)
  const before =
    system == null || system === ''
      ? carried
      : [{ role: 'system' as const, content: system }, ...carried.filter(({ role }) => role !== 'system')]
  return [...before, { role: 'user', content: prompt ?? '', ...toAttachments(images, 'images') }]
}

function createAnswerFormat(request: GenerationRequest): AnswerFormat {
  return {
    piece: ({ text, thinking }) => ({ response: text, ...(thinking === undefined ? {} : { thinking }) }),
    last: (answer) =>
      request.kind === 'chat' ? toContextFields([...request.messages, { role: 'assistant', content: answer }]) : {},
  }
}

function toContextFields(messages: readonly CarriedMessage[]): object {
  const context = encodeContext(messages)
  return context === undefined ? {} : { context }
}

function unsupported(param: string, message: string): SvcError {
  return new SvcError('invalid_request', `${param}: ${message}`, { code: 'unsupported_field', details: { param } })
}
