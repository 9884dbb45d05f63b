import type { SvcError } from '@svc/errors'
import type { CompletionLogprobs } from '@svc/wire/openai'
import { encodeSseJson, SSE_DONE } from '@svc/wire/sse'
import type { PredictionEvent, Usage } from '../../../../inference/core/events.ts'
import type { ReplyFacts, StreamEncoder } from '../../../../inference/replies/wire-format.ts'
import { toCompletionUsage } from '../chat/usage.ts'
import { toFinishReason } from './collect.ts'
import { createLogprobWriter } from './logprobs.ts'

/**
 * Encodes the predictions of one prompt as `text_completion` events. Every choice of an event has a string `text`, the
 * last one too, because some clients append it unchecked.
 */
export function streamCompletion(
  facts: ReplyFacts,
  options: {
    readonly choices: number
    readonly alternatives: number | undefined
    readonly includeUsage: boolean
  },
): StreamEncoder {
  const envelope = JSON.stringify({
    id: facts.requestId,
    object: 'text_completion',
    created: facts.created,
    model: facts.model,
  }).slice(0, -1)
  const writers = Array.from({ length: options.choices }, () => createLogprobWriter(options.alternatives))
  const chunk = (choice: number, text: string, reason: string, logprobs: CompletionLogprobs | null = null): string =>
    `data: ${envelope},"choices":[{"index":${choice},"text":${JSON.stringify(text)},"finish_reason":${reason},"logprobs":${JSON.stringify(logprobs)}}]}\n\n`
  const usageChunk = (usage: Usage): string =>
    options.includeUsage
      ? `data: ${envelope},"choices":[],"usage":${JSON.stringify(toCompletionUsage(usage, facts.extraUsage))}}\n\n`
      : ''

  function encode(event: PredictionEvent): string {
    switch (event.type) {
      case 'text-delta': {
        const logprobs = writers[event.choice]?.piece(event)
        return chunk(event.choice, event.text, 'null', logprobs)
      }
      case 'choice-end':
        return chunk(event.choice, '', `"${toFinishReason(event.finishReason)}"`)
      case 'usage':
        return usageChunk(event.usage)
      case 'reasoning-delta':
      case 'reasoning-signature':
      case 'redacted-reasoning':
      case 'server-tools':
      case 'server-tool-call':
      case 'server-tool-result':
      case 'server-tool-approval':
      case 'tool-call-start':
      case 'tool-call-delta':
        return ''
    }
  }

  return {
    contentType: 'text/event-stream',
    // Clients that ask for `Extra-Usage` get the prompt's figures before the answer.
    start: (usage) => (facts.extraUsage ? usageChunk(usage) : ''),
    event: encode,
    end: () => SSE_DONE,
    error: ({ message }: SvcError) =>
      encodeSseJson({ error: { message, type: 'server_error', code: 'server_error', param: null } }) + SSE_DONE,
  }
}
