import type { SvcError } from '@svc/errors'
import type { ChatDelta } from '@svc/wire/openai'
import type { PredictionEvent, Usage } from '../../../../inference/core/events.ts'
import type { ReplyFacts, StreamEncoder } from '../../../../inference/replies/wire-format.ts'
import { toWireLogprob } from './collect.ts'
import { createTurnJoiner, toMcpCall, toMcpResult } from './server-tool-fields.ts'
import { toCompletionUsage } from './usage.ts'

const DONE = 'data: [DONE]\n\n'

/**
 * Encodes a prediction as `chat.completion.chunk` events. Constant parts are serialised once for each stream; a text
 * delta costs one `JSON.stringify` of its text.
 */
export function streamChat(
  facts: ReplyFacts,
  options: { readonly choices: number; readonly includeUsage: boolean; readonly usesFunctions: boolean },
): StreamEncoder {
  const hasCalled = new Set<number>()
  const envelope = JSON.stringify({
    id: `chatcmpl-${facts.requestId}`,
    object: 'chat.completion.chunk',
    created: facts.created,
    model: facts.model,
  }).slice(0, -1)
  const chunk = (choice: number, delta: string, rest = '"finish_reason":null'): string =>
    `data: ${envelope},"choices":[{"index":${choice},"delta":${delta},${rest}}]}\n\n`
  const joiner = createTurnJoiner()
  /** Number of calls that the client has seen. */
  let calls = 0
  // A chunk without choices: clients that do not know the field pass it over.
  const toolChunk = (field: string, value: unknown): string =>
    `data: ${envelope},"choices":[],"${field}":${JSON.stringify(value)}}\n\n`
  const usageChunk = (usage: Usage): string =>
    options.includeUsage
      ? `data: ${envelope},"choices":[],"usage":${JSON.stringify(toCompletionUsage(usage, facts.extraUsage))}}\n\n`
      : ''

  function encode(event: PredictionEvent): string {
    switch (event.type) {
      case 'text-delta': {
        // Clients take a call for the end of the text.
        if (hasCalled.has(event.choice)) return ''
        const delta = `{"content":${JSON.stringify(joiner.join(event.text))}}`
        if (event.logprobs === undefined) return chunk(event.choice, delta)
        const logprobs = JSON.stringify({ content: event.logprobs.map(toWireLogprob), refusal: null })
        return chunk(event.choice, delta, `"finish_reason":null,"logprobs":${logprobs}`)
      }
      case 'reasoning-delta': {
        const text = JSON.stringify(event.text)
        return chunk(event.choice, `{"reasoning":${text},"reasoning_content":${text}}`)
      }
      case 'reasoning-signature':
      case 'redacted-reasoning':
        return ''
      case 'server-tools':
        return ''
      case 'server-tool-call':
        joiner.cut()
        return toolChunk('mcp_tool_call', toMcpCall(event))
      case 'server-tool-result':
        return toolChunk('mcp_tool_result', toMcpResult(event))
      case 'server-tool-approval': {
        const { choice, id, name } = event
        const start = encode({ type: 'tool-call-start', choice, index: calls, id, name })
        const rest = encode({ type: 'tool-call-delta', choice, index: calls - 1, arguments: event.arguments })
        return toolChunk('mcp_approval_request', toMcpCall(event)) + start + rest
      }
      case 'tool-call-start':
        calls = event.index + 1
        hasCalled.add(event.choice)
        return chunk(event.choice, JSON.stringify(toCallStart(event, options.usesFunctions)))
      case 'tool-call-delta':
        return chunk(event.choice, JSON.stringify(toCallDelta(event, options.usesFunctions)))
      case 'choice-end': {
        const isFunctionCall = options.usesFunctions && event.finishReason === 'tool_calls'
        return chunk(event.choice, '{}', `"finish_reason":"${isFunctionCall ? 'function_call' : event.finishReason}"`)
      }
      case 'usage':
        return usageChunk(event.usage)
    }
  }

  return {
    contentType: 'text/event-stream',
    start(usage) {
      const roles = Array.from({ length: options.choices }, (_, choice) =>
        chunk(choice, '{"role":"assistant","content":""}'),
      )
      // Clients that ask for `Extra-Usage` get the prompt's figures before the answer.
      return (facts.extraUsage ? usageChunk(usage) : '') + roles.join('')
    },
    event: encode,
    end: () => DONE,
    error: (error: SvcError) =>
      `data: ${JSON.stringify({ error: { message: error.message, type: 'server_error', code: 'server_error', param: null } })}\n\n${DONE}`,
  }
}

type EventOf<Type extends PredictionEvent['type']> = Extract<PredictionEvent, { type: Type }>

function toCallStart({ index, id, name }: EventOf<'tool-call-start'>, usesFunctions: boolean): ChatDelta {
  const called = { name, arguments: '' }
  return usesFunctions ? { function_call: called } : { tool_calls: [{ index, id, type: 'function', function: called }] }
}

function toCallDelta(event: EventOf<'tool-call-delta'>, usesFunctions: boolean): ChatDelta {
  const called = { arguments: event.arguments }
  return usesFunctions ? { function_call: called } : { tool_calls: [{ index: event.index, function: called }] }
}
