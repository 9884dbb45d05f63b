import type { ResponseInputItem, ResponseRequest } from '@svc/wire'
import type { ChatMessage, ChatRequest } from '../../inference/request.ts'
import { toStructuredOutput } from '../../inference/structured-output/structured-output.ts'
import { toGeneration } from '../openai/to-generation.ts'
import { itemsToMessages } from './input-items.ts'
import { responseTools } from './tools.ts'

/** A responses request with what only its own format knows. */
export interface ResponsesRequest extends ChatRequest {
  /** The body as it came. */
  readonly asked: ResponseRequest
  /** The items of the body's input, references followed. */
  readonly input: readonly ResponseInputItem[]
}

/** The items of a body's input: a text is a message of the user. */
export function inputItemsOf({ input }: ResponseRequest): readonly ResponseInputItem[] {
  return typeof input === 'string' ? [{ role: 'user', content: input }] : input
}

/**
 * A responses request in domain terms.
 *
 * @param input the items of the body, references followed
 * @param history the conversation before it
 */
export function responseToDomain(
  asked: ResponseRequest,
  { input, history }: { readonly input: readonly ResponseInputItem[]; readonly history: readonly ResponseInputItem[] },
): ResponsesRequest {
  const instructions: ChatMessage[] =
    asked.instructions == null || asked.instructions === '' ? [] : [{ role: 'system', content: asked.instructions }]
  return {
    kind: 'chat',
    messages: [...instructions, ...itemsToMessages([...history, ...input])],
    generation: toGeneration({
      temperature: asked.temperature,
      top_p: asked.top_p,
      presence_penalty: asked.presence_penalty,
      frequency_penalty: asked.frequency_penalty,
      logit_bias: asked.logit_bias,
      seed: asked.seed,
      stop: asked.stop,
      max_tokens: asked.max_output_tokens,
      logprobs: wantsLogprobs(asked),
      top_logprobs: asked.top_logprobs,
    }),
    choices: 1,
    ...responseTools(asked),
    structuredOutput: structuredOutputOf(asked),
    reasoningEffort: asked.reasoning?.effort ?? undefined,
    metadata: asked.metadata ?? undefined,
    stream: asked.stream ?? false,
    asked,
    input,
  }
}

function wantsLogprobs({ top_logprobs, include }: ResponseRequest): boolean {
  return (top_logprobs ?? 0) > 0 || (include ?? []).includes('message.output_text.logprobs')
}

function structuredOutputOf({ text, text_format }: ResponseRequest): ChatRequest['structuredOutput'] {
  const [responseFormat, name] =
    text?.format == null ? ([text_format, 'text_format'] as const) : ([text.format, 'text.format'] as const)
  return toStructuredOutput({ responseFormat }, { responseFormat: name })
}
