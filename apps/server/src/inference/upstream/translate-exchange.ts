import type { Upstream } from '@svc/http-client'
import type { JsonDocument } from '@svc/json'
import { type ChatUpstream, type ClientHeader, createChatUpstream } from '@svc/proxy'
import { createTranslator, messagesToChat } from '@svc/proxy/translate'
import { messagesRequest } from '@svc/wire/messages'
import { type ChatCompletionChunk, type ChatCompletionRequest, chatCompletionRequest } from '@svc/wire/openai'
import type { ModelConfig } from '../../catalog/model-config.ts'
import { type FinishReason, NO_USAGE, type PredictionStep, type Usage } from '../events.ts'
import type { Exchange } from '../exchange.ts'
import { readBody } from '../read-body.ts'
import type { CloudModels } from './cloud-models.ts'
import { toUsage } from './upstream-usage.ts'

/** What translating needs. */
export interface TranslateParts {
  readonly models: CloudModels
  readonly upstream: Upstream
}

/** The body of a request as the chat format says it. */
export async function toChatBody(exchange: Exchange, document: JsonDocument): Promise<ChatCompletionRequest> {
  const { signal, row } = exchange.call
  if (row.path !== '/v1/messages') return readBody(chatCompletionRequest, document, signal)
  return messagesToChat(await readBody(messagesRequest, document, signal))
}

/** How a model upstream is asked. */
interface TranslateOptions {
  readonly model: ModelConfig
  readonly signal: AbortSignal
  readonly stream: boolean
  /** The client's headers, for those that go along. */
  readonly client: ClientHeader
  /** Told the figures of the upstream as they come, so that a stream which ends early is counted too. */
  readonly onUsage: (usage: Usage) => void
}

/** Asks a model upstream in the chat format, and gives its answer in domain terms. */
export async function* translatePrediction(
  chat: ChatCompletionRequest,
  { model, signal, stream, client: headers, onUsage }: TranslateOptions,
  { models, upstream }: TranslateParts,
): AsyncGenerator<PredictionStep> {
  const target = await models.targetOf(model)
  const { translate = 'text', cachePrompt = false } = model.proxy ?? {}
  const client: ChatUpstream = createChatUpstream({
    upstream,
    translator: createTranslator({
      provider: target.provider,
      mode: translate,
      model: target.upstreamModel ?? model.name,
      cachePrompt,
    }),
    url: target.url,
    headers: target.headers,
    requestTimeoutMs: target.timeoutMs,
  })
  const call: ChatCall = { signal, client: headers, onUsage: (figures) => onUsage(toUsage(figures)) }
  const chunks = stream ? client.stream(chat, call) : wholeReply(client, chat, call)
  yield* toSteps(chunks, { isFull: translate === 'full' })
}

type ChatCall = Parameters<ChatUpstream['stream']>[1]

async function* wholeReply(
  client: ChatUpstream,
  chat: ChatCompletionRequest,
  call: ChatCall,
): AsyncGenerator<ChatCompletionChunk> {
  const { choices, usage, ...head } = await client.complete(chat, call)
  const base = { ...head, object: 'chat.completion.chunk' } as const
  for (const { index, message, finish_reason } of choices) {
    const { tool_calls: calls, ...delta } = message
    const tool_calls = calls?.map((call, position) => ({ ...call, index: position }))
    yield { ...base, choices: [{ index, delta: { ...delta, ...(tool_calls && { tool_calls }) }, finish_reason }] }
  }
  if (usage !== undefined) yield { ...base, choices: [], usage }
}

/**
 * Chunks as steps of a prediction. The figures of the upstream are those that count; in text mode the client is shown
 * none, as what it was sent is not what they stand for (§6.5).
 */
async function* toSteps(
  chunks: AsyncIterable<ChatCompletionChunk>,
  { isFull }: { readonly isFull: boolean },
): AsyncGenerator<PredictionStep> {
  let usage: Usage = NO_USAGE
  const ended = new Map<number, FinishReason>()
  const started = new Set<string>()
  for await (const chunk of chunks) {
    if (chunk.usage != null) {
      usage = toUsage(chunk.usage)
      yield { type: 'progress', usage }
    }
    for (const { index: choice, delta, finish_reason: reason } of chunk.choices) {
      const reasoning = delta.reasoning ?? delta.reasoning_content
      if (typeof reasoning === 'string' && reasoning !== '') yield { type: 'reasoning-delta', choice, text: reasoning }
      if (typeof delta.content === 'string' && delta.content !== '') {
        yield { type: 'text-delta', choice, text: delta.content }
      }
      for (const { index = 0, id, function: called } of delta.tool_calls ?? []) {
        const key = `${choice}/${index}`
        if (!started.has(key)) {
          started.add(key)
          yield { type: 'tool-call-start', choice, index, id: id ?? '', name: called?.name ?? '' }
        }
        const text = called?.arguments
        if (text != null && text !== '') yield { type: 'tool-call-delta', choice, index, arguments: text }
      }
      if (reason != null) ended.set(choice, toFinishReason(reason))
    }
  }
  for (const [choice, finishReason] of ended) yield { type: 'choice-end', choice, finishReason }
  yield { type: 'usage', usage: isFull ? usage : NO_USAGE }
  yield { type: 'progress', usage }
}

function toFinishReason(reason: string): FinishReason {
  return reason === 'length' || reason === 'tool_calls' || reason === 'content_filter' ? reason : 'stop'
}
