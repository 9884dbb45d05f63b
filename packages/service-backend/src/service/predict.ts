import type { Header } from '@svc/http-client'
import {
  type CallAssembler,
  createArgumentSource,
  createCallAssembler,
  dropAbsent,
  type Fields,
  findChunkUsage,
  isFields,
  readSseEvents,
  readWholeCalls,
  toFields,
  toList,
  toNumber,
  toText,
  tryParseJson,
} from '@svc/proxy/replies'
import { readLogprobs, toCompletionOptions } from './completion-logprobs.ts'
import { streamFailed, undecodable } from './status.ts'
import { dropZeros, type ServiceBody, type ServiceCall, type ServiceTransport } from './transport.ts'

/** A request to generate. Zeros and empty values are left out. */
export interface PredictInput {
  /** The conversation, for the chat route; messages in the chat format. */
  readonly messages?: readonly Fields[] | undefined
  /** The rendered prompt, for the completions route; used without messages. */
  readonly prompt?: string | undefined
  /** Always sent. */
  readonly temperature: number
  /** All other options by their names in the chat format: `top_p`, `max_tokens`, `stop`, `tools` and so on. */
  readonly options?: Fields | undefined
  /** Token ids with their biases, as JSON text. */
  readonly logitBias?: string | undefined
}

/** A piece of a call of a tool. */
export interface CallPiece {
  readonly index: number
  /** Present in the first piece. */
  readonly id: string
  /** Present in the first piece. */
  readonly name: string
  readonly arguments: string
}

/** A piece of an answer, or a whole one. */
export interface PredictPiece {
  readonly text: string
  readonly reasoning: string
  readonly calls: readonly CallPiece[]
  /** In the chat format; absent when the instance sends none. */
  readonly logprobs?: unknown
  /** The finish reason in the instance's word; in the last piece. */
  readonly finishReason?: string | undefined
  /** The instance's figures so far; absent until it sends them. */
  readonly usage?: PredictUsage | undefined
}

/** Figures of an instance, running totals; 0 for unknown values. */
export interface PredictUsage {
  readonly promptTokens: number
  readonly completionTokens: number
  /** Prompt tokens that came from a cache; absent when the instance does not say. */
  readonly cachedTokens?: number | undefined
  /** Prompt tokens that were written to a cache; absent when the instance does not say. */
  readonly cacheWriteTokens?: number | undefined
  /** Tokens of the answer that were thoughts; absent when the instance does not say. */
  readonly reasoningTokens?: number | undefined
  /** Milliseconds. */
  readonly promptMs: number
  /** Milliseconds. */
  readonly generationMs: number
}

/** Requests the optional figures of an instance: timings, and prompt tokens at the start of a stream. */
const ALL_FIGURES: readonly Header[] = [['extra-usage', 'true']]

/** Generates through the chat route for messages, else through the completions route (§6.5). */
export async function predict(
  transport: ServiceTransport,
  input: PredictInput,
  call: ServiceCall,
): Promise<PredictPiece> {
  const path = choosePath(input)
  const reply = await transport.ask(path, toBody(transport, input), call)
  const [choice] = toList(reply.choices)
  if (!isFields(choice)) throw undecodable(path)
  const message = toFields(choice.message)
  const calls = readWholeCalls(message).map((one, index) => ({ ...one, index }))
  return { ...readSaid(choice, message, reply), calls }
}

/** Generates the same, streamed. */
export async function* predictStream(
  transport: ServiceTransport,
  input: PredictInput,
  call: ServiceCall,
): AsyncGenerator<PredictPiece, void, undefined> {
  const asked = toBody(transport, input, { stream: true, stream_options: { include_usage: true } })
  const { body } = await transport.fetch(choosePath(input), asked, { ...call, streams: true })
  let isFinished = false
  const assembler = createCallAssembler()
  for await (const { data } of readSseEvents(body, () => undecodable(choosePath(input)))) {
    if (data.trim() === '[DONE]') return
    const chunk = tryParseJson(data)
    if (!isFields(chunk)) continue
    throwIfError(chunk, transport.target.secrets)
    const [choice] = toList(chunk.choices).map(toFields)
    isFinished ||= choice?.finish_reason != null
    if (choice !== undefined || isFields(chunk.usage)) {
      const delta = toFields(choice?.delta)
      yield { ...readSaid(choice ?? {}, delta, chunk), calls: readCalls(delta, assembler, data) }
    }
  }
  if (!isFinished) throw streamFailed("the upstream's stream ended before its end event")
}

function choosePath({ messages }: PredictInput): string {
  return (messages?.length ?? 0) > 0 ? '/v1/chat/completions' : '/v1/completions'
}

function toBody({ target }: ServiceTransport, input: PredictInput, more: Fields = {}): ServiceBody {
  const { messages = [], prompt = '', temperature, options = {}, logitBias } = input
  const asked =
    messages.length > 0
      ? { messages, temperature, ...dropZeros(options) }
      : { prompt, temperature, ...dropZeros(toCompletionOptions(options)) }
  const json = { model: target.model, ...asked, ...more }
  return { json, texts: logitBias === undefined ? {} : { logit_bias: logitBias }, headers: ALL_FIGURES }
}

function throwIfError({ error }: Fields, secrets: readonly string[]): void {
  if (error == null) return
  throw streamFailed(toText(toFields(error).message) ?? toText(error) ?? 'the upstream failed', secrets)
}

function readSaid(choice: Fields, message: Fields, reply: Fields): Omit<PredictPiece, 'calls'> {
  return {
    text: toText(message.content) ?? toText(choice.text) ?? toText(message.refusal) ?? '',
    reasoning: toText(message.reasoning) ?? toText(message.reasoning_content) ?? '',
    ...dropAbsent({
      logprobs: readLogprobs(choice.logprobs),
      finishReason: toText(choice.finish_reason),
      usage: readUsage(reply),
    }),
  }
}

function readUsage(reply: Fields): PredictUsage | undefined {
  const figures = findChunkUsage(reply)
  if (figures === undefined) return undefined
  const usage = toFields(reply.usage)
  const { prompt_tokens_details: prompt = {}, completion_tokens_details: completion = {} } = figures
  return {
    promptTokens: figures.prompt_tokens,
    completionTokens: figures.completion_tokens,
    ...dropAbsent({
      cachedTokens: prompt.cached_tokens,
      cacheWriteTokens: prompt.cache_creation_tokens,
      reasoningTokens: completion.reasoning_tokens,
    }),
    promptMs: Math.max(0, toNumber(usage.timing_prompt_processing) ?? 0),
    generationMs: Math.max(0, toNumber(usage.timing_token_generation) ?? 0),
  }
}

function readCalls(delta: Fields, assembler: CallAssembler, source: string): CallPiece[] {
  const pieces = assembler.take(delta, createArgumentSource(source, { choice: 0, member: 'delta' }))
  return pieces.map(({ index, opened, arguments: given }) => ({ index, id: '', name: '', ...opened, arguments: given }))
}
