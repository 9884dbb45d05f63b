import type { SvcError } from '@svc/errors'
import type { ReplyFacts, StreamEncoder } from '../../../inference/codec.ts'
import type { PredictionEvent } from '../../../inference/events.ts'
import { toWireLogprob } from './collect.ts'
import { toCompletionUsage } from './usage.ts'

const DONE = 'data: [DONE]\n\n'

/**
 * Encodes a prediction as `chat.completion.chunk` events. What never changes inside a stream is serialised once; a
 * text delta costs one `JSON.stringify` of its text.
 */
export function streamChat(facts: ReplyFacts, options: { choices: number; includeUsage: boolean }): StreamEncoder {
  const envelope = JSON.stringify({
    id: `chatcmpl-${facts.requestId}`,
    object: 'chat.completion.chunk',
    created: facts.created,
    model: facts.model,
  }).slice(0, -1)
  const chunk = (choice: number, delta: string, rest = '"finish_reason":null'): string =>
    `data: ${envelope},"choices":[{"index":${choice},"delta":${delta},${rest}}]}\n\n`

  function encode(event: PredictionEvent): string {
    switch (event.type) {
      case 'text-delta': {
        const delta = `{"content":${JSON.stringify(event.text)}}`
        if (event.logprobs === undefined) return chunk(event.choice, delta)
        const logprobs = JSON.stringify({ content: event.logprobs.map(toWireLogprob), refusal: null })
        return chunk(event.choice, delta, `"finish_reason":null,"logprobs":${logprobs}`)
      }
      case 'reasoning-delta': {
        const text = JSON.stringify(event.text)
        return chunk(event.choice, `{"reasoning":${text},"reasoning_content":${text}}`)
      }
      case 'tool-call-start': {
        const call = {
          index: event.index,
          id: event.id,
          type: 'function',
          function: { name: event.name, arguments: '' },
        }
        return chunk(event.choice, JSON.stringify({ tool_calls: [call] }))
      }
      case 'tool-call-delta':
        return chunk(
          event.choice,
          JSON.stringify({ tool_calls: [{ index: event.index, function: { arguments: event.arguments } }] }),
        )
      case 'choice-end':
        return chunk(event.choice, '{}', `"finish_reason":"${event.finishReason}"`)
      case 'usage':
        if (!options.includeUsage) return ''
        return `data: ${envelope},"choices":[],"usage":${JSON.stringify(toCompletionUsage(event.usage, facts.extraUsage))}}\n\n`
    }
  }

  return {
    contentType: 'text/event-stream',
    start: () =>
      Array.from({ length: options.choices }, (_, choice) => chunk(choice, '{"role":"assistant","content":""}')).join(
        '',
      ),
    event: encode,
    end: () => DONE,
    error: (error: SvcError) =>
      `data: ${JSON.stringify({ error: { message: error.message, type: 'server_error', code: 'server_error', param: null } })}\n\n${DONE}`,
  }
}
