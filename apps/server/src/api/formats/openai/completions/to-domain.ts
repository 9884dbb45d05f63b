import { SvcError } from '@svc/errors'
import { toStructuredOutput } from '@svc/structured-output'
import { type CompletionRequest as CompletionBody, toTexts } from '@svc/wire/openai'
import type { CompletionRequest } from '../../../../inference/core/request.ts'
import { unparsable } from '../../../../inference/documents/unparsable.ts'
import { MAX_CHOICES } from '../limits.ts'
import { toGeneration } from '../to-generation.ts'

/**
 * Converts a completion request of the compatible format. With a limit of 0 tokens nothing is generated. `suffix` and
 * `best_of` have no effect.
 */
export function completionToDomain(body: CompletionBody, logitBias?: string | undefined): CompletionRequest {
  const prompts = toTexts(body.prompt)
  const choices = body.n ?? 1
  const stream = body.stream ?? false
  if (prompts.length === 0) throw unparsable('prompt: at least one prompt is needed', 'prompt')
  if (stream && prompts.length !== 1) {
    throw new SvcError('invalid_request', 'streaming completions require exactly one prompt string', {
      code: 'streaming_prompts',
      details: { param: 'prompt' },
    })
  }
  if (prompts.length * choices > MAX_CHOICES)
    throw unparsable(`prompt: more than ${MAX_CHOICES} choices in all`, 'prompt')
  const alternatives = toAlternatives(body.logprobs)
  const limit = body.max_completion_tokens ?? body.max_tokens
  return {
    kind: 'completion',
    prompts,
    choices,
    stream,
    echo: body.echo ?? undefined,
    generates: limit !== 0,
    promptLogprobs: body.echo === true ? alternatives : undefined,
    generation: {
      ...toGeneration({ ...body, logprobs: undefined, top_logprobs: undefined }, logitBias),
      logprobs: alternatives !== undefined,
      topLogprobs: alternatives,
    },
    structuredOutput: toStructuredOutput({ responseFormat: body.response_format, grammar: body.grammar }),
    reasoningEffort: body.reasoning_effort ?? undefined,
    metadata: body.metadata ?? undefined,
  }
}

function toAlternatives(logprobs: CompletionBody['logprobs']): number | undefined {
  if (logprobs === true) return 1
  return logprobs === false ? undefined : (logprobs ?? undefined)
}
