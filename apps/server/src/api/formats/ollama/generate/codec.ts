import { SvcError } from '@svc/errors'
import { type OllamaGenerateRequest, ollamaGenerateRequest } from '@svc/wire/ollama'
import type { GenerationCodec } from '../../../../inference/codec.ts'
import { limitItems } from '../../../../inference/limit-items.ts'
import { readBody } from '../../../../inference/read-body.ts'
import type { ChatMessage } from '../../../../inference/request.ts'
import type { Clock } from '../../../../ports.ts'
import { type AnswerFormat, collectAnswer, streamAnswer } from '../answer.ts'
import { type OllamaGeneration, toEmptyRequest, toFields } from '../generation.ts'
import { toAttachments } from '../images.ts'
import { toForm, toGeneration, toThinking } from '../to-generation.ts'
import { type CarriedMessage, decodeContext, encodeContext, MAX_CONTEXT, textsOfContext } from './context.ts'
import { renderOwnTemplate } from './own-template.ts'

/** The two ends of `POST /api/generate`. */
export function createGenerateCodec(clock: Clock): GenerationCodec<OllamaGeneration> {
  return {
    async parse(document, { signal }) {
      const startedAt = clock.monotonic()
      limitItems(document, 'context', MAX_CONTEXT)
      const body = await readBody(ollamaGenerateRequest, document, signal)
      const fields = toFields(body, startedAt)
      return isEmpty(body) ? toEmptyRequest(fields) : { ...fields, ...toDomain(body) }
    },
    hiddenTexts: textsOfContext,
    stream: (request, facts) => streamAnswer(facts, { request, format: formatOf(request), clock }),
    collect: (request, facts) => collectAnswer(facts, { request, format: formatOf(request), clock }),
  }
}

function isEmpty({ prompt, suffix, images }: OllamaGenerateRequest): boolean {
  return (prompt ?? '') === '' && (suffix ?? '') === '' && (images ?? []).length === 0
}

/** A conversation of one message, or a text that goes to the model as it is. */
function toDomain(body: OllamaGenerateRequest) {
  const common = {
    generation: toGeneration(body),
    choices: 1,
    structuredOutput: toForm(body.format),
    ...toThinking(body.think),
  }
  const text = toRawPrompt(body)
  if (text !== undefined && (body.images ?? []).length > 0) {
    throw unsupported('images', 'only the template of the model places images')
  }
  if (text !== undefined) return { ...common, kind: 'completion', prompts: [text], raw: true } as const
  return { ...common, kind: 'chat', messages: toMessages(body) } as const
}

/** The text that the request itself makes the prompt; undefined where the model's template does. */
function toRawPrompt({ prompt, suffix, system, template, raw }: OllamaGenerateRequest): string | undefined {
  if (template != null && template !== '' && raw !== true) {
    return renderOwnTemplate(template, { prompt: prompt ?? '', suffix: suffix ?? '', system: system ?? '' })
  }
  if (suffix != null && suffix !== '') {
    throw unsupported('suffix', 'this model does not support insert; a template of your own may')
  }
  return raw === true ? (prompt ?? '') : undefined
}

/** A system text of the request takes the place of the one that is carried along. */
function toMessages({ prompt, system, context, images }: OllamaGenerateRequest): ChatMessage[] {
  const carried = decodeContext(context)
  const before =
    system == null || system === ''
      ? carried
      : [{ role: 'system' as const, content: system }, ...carried.filter(({ role }) => role !== 'system')]
  return [...before, { role: 'user', content: prompt ?? '', ...toAttachments(images, 'images') }]
}

function formatOf(request: OllamaGeneration): AnswerFormat {
  return {
    piece: ({ text, thinking }) => ({ response: text, ...(thinking === undefined ? {} : { thinking }) }),
    last: (answer) =>
      request.kind === 'chat' ? contextFields([...request.messages, { role: 'assistant', content: answer }]) : {},
  }
}

function contextFields(messages: readonly CarriedMessage[]): object {
  const context = encodeContext(messages)
  return context === undefined ? {} : { context }
}

function unsupported(param: string, message: string): SvcError {
  return new SvcError('invalid_request', `${param}: ${message}`, { code: 'unsupported_field', details: { param } })
}
