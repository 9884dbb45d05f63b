import type { ChatDelta, PartialMessage, Reply } from '@svc/backend-client/proto'
import { SvcError } from '@svc/errors'
import { quoteUpstream, UpstreamStatusError } from '@svc/proxy'
import type { TranslateMode } from '@svc/proxy/translate'
import type { ChatCompletion, ChatCompletionChunk, CompletionUsage } from '@svc/wire/openai'

/** Builds a whole answer. */
export function toReply({ choices, usage }: ChatCompletion, mode: TranslateMode): PartialMessage<Reply> {
  const message = choices[0]?.message
  const content = message?.content ?? ''
  const toolCalls = (message?.tool_calls ?? []).map(({ id, function: called }, index) => ({ index, id, ...called }))
  return {
    message: Buffer.from(content),
    ...toFigures(usage, mode),
    chatDeltas: [{ content, reasoningContent: message?.reasoning ?? '', toolCalls }],
  }
}

/** Builds a piece of an answer; its figures are running totals. */
export function toReplyPiece({ choices, usage }: ChatCompletionChunk, mode: TranslateMode): PartialMessage<Reply> {
  const delta = choices[0]?.delta
  const content = delta?.content ?? ''
  const piece: PartialMessage<ChatDelta> = {
    content,
    reasoningContent: delta?.reasoning ?? '',
    toolCalls: (delta?.tool_calls ?? []).map(({ index, id = '', function: called }) => ({
      index,
      id,
      name: called?.name ?? '',
      arguments: called?.arguments ?? '',
    })),
  }
  return { message: Buffer.from(content), ...toFigures(usage, mode), chatDeltas: [piece] }
}

/** In mode `text` the figures are dropped (§6.5): the host counts itself. */
function toFigures(usage: CompletionUsage | null | undefined, mode: TranslateMode): PartialMessage<Reply> {
  if (usage == null || mode === 'text') return {}
  return { tokens: usage.completion_tokens, promptTokens: usage.prompt_tokens }
}

/** Converts a failure to the contract. It has no body beside the message, so the upstream's own message is used. */
export function toWholeFailure(error: unknown): unknown {
  if (!(error instanceof UpstreamStatusError)) return error
  const said = quoteUpstream(error.body)
  return new SvcError(error.kind, said === '' ? error.message : `${error.message}: ${said}`, {
    code: error.code,
    retryAfterMs: error.retryAfterMs,
    cause: error,
  })
}
