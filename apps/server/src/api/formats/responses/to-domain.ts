import { toStructuredOutput } from '@svc/structured-output'
import type { ResponseRequest } from '@svc/wire/responses'
import type { ChatMessage, ChatRequest } from '../../../inference/core/request.ts'
import { toGeneration } from '../openai/to-generation.ts'
import type { Conversation } from './conversation.ts'
import { readHostedFields } from './hosted-fields.ts'
import { itemsToMessages } from './input-items.ts'
import { toResponseTools } from './tools.ts'

/**
 * Converts a request, after the conversation that it continues.
 *
 * @param logitBias a map of biases that was taken out of the body
 */
export function responseToDomain(
  asked: ResponseRequest,
  { input, history }: Conversation,
  logitBias?: string | undefined,
): ChatRequest {
  const items = [...history, ...input]
  const { hosted, ...servers } = readHostedFields(asked, items)
  const instructions: ChatMessage[] =
    asked.instructions == null || asked.instructions === '' ? [] : [{ role: 'system', content: asked.instructions }]
  return {
    kind: 'chat',
    messages: [...instructions, ...itemsToMessages(items)],
    generation: toGeneration(
      {
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
      },
      logitBias,
    ),
    choices: 1,
    ...toResponseTools(asked, { hosted }),
    ...servers,
    structuredOutput: readStructuredOutput(asked),
    reasoningEffort: asked.reasoning?.effort ?? undefined,
    metadata: asked.metadata ?? undefined,
    stream: asked.stream ?? false,
  }
}

function wantsLogprobs({ top_logprobs, include }: ResponseRequest): boolean {
  return (top_logprobs ?? 0) > 0 || (include ?? []).includes('message.output_text.logprobs')
}

function readStructuredOutput({ text, text_format }: ResponseRequest): ChatRequest['structuredOutput'] {
  const [responseFormat, name] =
    text?.format == null ? ([text_format, 'text_format'] as const) : ([text.format, 'text.format'] as const)
  return toStructuredOutput({ responseFormat }, { responseFormat: name })
}
