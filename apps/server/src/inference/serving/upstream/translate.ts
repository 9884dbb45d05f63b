import type { Upstream } from '@svc/http-client'
import type { JsonDocument } from '@svc/json'
import { type ChatUpstream, createChatUpstream } from '@svc/proxy'
import { completionToChunks, createTranslator, messagesToChat, readThinkingBlocks } from '@svc/proxy/translate'
import { type MessagesRequest, messagesRequest } from '@svc/wire/messages'
import { type ChatCompletionChunk, type ChatCompletionRequest, chatCompletionRequest } from '@svc/wire/openai'
import type { ModelConfig } from '../../../catalog/model-config.ts'
import type { SpanScope } from '../../../monitoring/spans/span-scope.ts'
import { type FinishReason, NO_USAGE, type PredictionStep, type StepBatches, type Usage } from '../../core/events.ts'
import type { RequestContext } from '../../core/ports.ts'
import { readBody } from '../../documents/read-body.ts'
import { takeLogitBias } from '../../engine/logit-bias.ts'
import { dropForeignThoughts } from '../../engine/thought-signature.ts'
import { splitServerTools } from '../../tools/split-server-tools.ts'
import type { CloudModels } from './cloud-models.ts'
import { toUsage } from './upstream-usage.ts'

/** Options of {@link createTranslation}. */
export interface TranslateParts {
  readonly models: CloudModels
  readonly upstream: Upstream
}

/** A request in the chat format, for upstreams. */
export interface UpstreamChat {
  readonly chat: ChatCompletionRequest
  /** The same request in the messages format, if its client uses that. */
  readonly source?: MessagesRequest | undefined
}

/** Converts the body of a request to the chat format. */
export async function toUpstreamChat({ route, signal }: RequestContext, document: JsonDocument): Promise<UpstreamChat> {
  if (route.path !== '/v1/messages') {
    const { rest } = await takeLogitBias(document, signal)
    return { chat: await readBody(chatCompletionRequest, rest, signal) }
  }
  const asked = dropForeignThoughts(await readBody(messagesRequest, document, signal))
  const source = splitServerTools(leaveOutServers(asked))
  return { chat: messagesToChat(source), source }
}

/** Leaves out the servers whose tools this server offers and runs. */
function leaveOutServers({ mcp_servers: _, ...request }: MessagesRequest): MessagesRequest {
  const { tools } = request
  return { ...request, ...(tools == null ? {} : { tools: tools.filter(({ type }) => type !== 'mcp_toolset') }) }
}

/** Options of a translated request. */
export interface TranslateOptions {
  readonly model: ModelConfig
  readonly stream: boolean
  readonly context: Pick<RequestContext, 'requestId' | 'signal' | 'header'>
  /** @default the request is not traced */
  readonly trace?: { readonly span: SpanScope | undefined } | undefined
  /** Gets the figures of the upstream as they come, so that a stream that ends early is counted. */
  readonly onUsage: (usage: Usage) => void
}

/** Asks models upstream in the chat format, and gives their answers in domain terms. */
export type TranslateUpstream = (asked: UpstreamChat, options: TranslateOptions) => StepBatches

/** Creates the translation. Nothing is sent before the first pull. */
export function createTranslation({ models, upstream }: TranslateParts): TranslateUpstream {
  return async function* translate({ chat, source }, { model, stream, context, onUsage }) {
    const target = await models.findTarget(model)
    const { translate = 'text', cachePrompt = false, sampling, limitField, streamUsage } = model.proxy ?? {}
    const client: ChatUpstream = createChatUpstream({
      upstream,
      translator: createTranslator({
        provider: target.provider,
        mode: translate,
        model: target.upstreamModel ?? model.name,
        cachePrompt,
        sendsSampling: sampling === 'send',
        limitField,
        asksUsage: streamUsage,
      }),
      url: target.url,
      headers: target.headers,
      requestTimeoutMs: target.timeoutMs,
    })
    const steps = new ChunkSteps({ isFull: translate === 'full' })
    const call: ChatCall = {
      signal: context.signal,
      source,
      client: (name) => context.header(name),
      onUsage: (figures) => onUsage(toUsage(figures)),
    }
    const chunks = stream ? client.stream(chat, call) : await askWhole(client, chat, call)
    for await (const chunk of chunks) {
      const batch = steps.take(chunk)
      if (batch.length > 0) yield batch
    }
    yield steps.end()
  }
}

type ChatCall = Parameters<ChatUpstream['stream']>[1]

/** Asks for a whole reply and gives it as chunks of a stream. */
async function askWhole(
  client: ChatUpstream,
  chat: ChatCompletionRequest,
  call: ChatCall,
): Promise<readonly ChatCompletionChunk[]> {
  return completionToChunks(await client.complete(chat, call))
}

/**
 * Turns chunks into steps of a prediction. The upstream's figures are recorded. In text mode the client gets none,
 * because they were counted for another text than the one it gets (§6.5).
 */
class ChunkSteps {
  readonly #isFull: boolean
  readonly #ended = new Map<number, FinishReason>()
  readonly #started = new Set<string>()
  #usage: Usage = NO_USAGE

  constructor({ isFull }: { readonly isFull: boolean }) {
    this.#isFull = isFull
  }

  take({ usage, choices }: ChatCompletionChunk): PredictionStep[] {
    const steps: PredictionStep[] = []
    if (usage != null) {
      this.#usage = toUsage(usage)
      steps.push({ type: 'progress', usage: this.#usage })
    }
    for (const { index: choice, delta, finish_reason: reason } of choices) {
      const reasoning = delta.reasoning ?? delta.reasoning_content
      if (typeof reasoning === 'string' && reasoning !== '') {
        steps.push({ type: 'reasoning-delta', choice, text: reasoning })
      }
      for (const block of readThinkingBlocks(delta)) {
        if (block.type === 'redacted_thinking') steps.push({ type: 'redacted-reasoning', choice, data: block.data })
        else steps.push({ type: 'reasoning-signature', choice, signature: block.signature })
      }
      if (typeof delta.content === 'string' && delta.content !== '') {
        steps.push({ type: 'text-delta', choice, text: delta.content })
      }
      for (const call of delta.tool_calls ?? []) this.#addCall(choice, call, steps)
      if (reason != null) this.#ended.set(choice, toFinishReason(reason))
    }
    return steps
  }

  #addCall(choice: number, call: ToolCallDelta, steps: PredictionStep[]): void {
    const { index = 0, id, function: called } = call
    const key = `${choice}/${index}`
    if (!this.#started.has(key)) {
      this.#started.add(key)
      steps.push({ type: 'tool-call-start', choice, index, id: id ?? '', name: called?.name ?? '' })
    }
    const text = called?.arguments
    if (text != null && text !== '') steps.push({ type: 'tool-call-delta', choice, index, arguments: text })
  }

  end(): PredictionStep[] {
    const ends = [...this.#ended].map(([choice, finishReason]) => ({
      type: 'choice-end' as const,
      choice,
      finishReason,
    }))
    const shown: PredictionStep = { type: 'usage', usage: this.#isFull ? this.#usage : NO_USAGE }
    return [...ends, shown, { type: 'progress', usage: this.#usage }]
  }
}

type ToolCallDelta = NonNullable<ChatCompletionChunk['choices'][number]['delta']['tool_calls']>[number]

function toFinishReason(reason: string): FinishReason {
  if (reason === 'function_call') return 'tool_calls'
  return reason === 'length' || reason === 'tool_calls' || reason === 'content_filter' ? reason : 'stop'
}
