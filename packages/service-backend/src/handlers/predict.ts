import { ANSWER_TRAILERS, type PartialMessage, type PredictOptions, type Reply } from '@svc/backend-client/proto'
import type { BackendHandlers, HandlerContext, Log } from '@svc/backend-kit'
import { toCall } from '../call.ts'
import { parseJson, toConversation } from '../conversation.ts'
import type { ServiceHost } from '../host.ts'
import type { PredictInput, PredictPiece } from '../service/predict.ts'

/** Predict and PredictStream. */
export function createPredictHandlers(host: ServiceHost): Pick<BackendHandlers, 'predict' | 'predictStream'> {
  return {
    predict: async (request, context) => {
      const service = host.use(request.ModelIdentity)
      const answer = await service.predict(toInput(request, host.log), toCall(context))
      sendTrailers(answer, context)
      return toReply(answer)
    },
    predictStream: async function* (request, context) {
      const service = host.use(request.ModelIdentity)
      for await (const piece of service.predictStream(toInput(request, host.log), toCall(context))) {
        sendTrailers(piece, context)
        yield toReply(piece)
      }
    },
  }
}

/** Finish reasons of instances that the contract knows; for other words the host decides itself. */
const FINISH_REASONS: ReadonlyMap<string | undefined, string> = new Map([
  ['stop', 'stop'],
  ['length', 'length'],
  ['tool_calls', 'tool_calls'],
  ['function_call', 'tool_calls'],
  ['content_filter', 'content_filter'],
])

/** Sends the parts of an answer that the messages of the contract have no field for. */
function sendTrailers({ finishReason, usage }: PredictPiece, context: HandlerContext): void {
  const word = FINISH_REASONS.get(finishReason)
  if (word !== undefined) context.addTrailer(ANSWER_TRAILERS.finish, word)
  for (const name of ['cachedTokens', 'cacheWriteTokens', 'reasoningTokens'] as const) {
    const count = usage?.[name]
    if (count !== undefined) context.addTrailer(ANSWER_TRAILERS[name], String(count))
  }
}

/** Sends prompts that the host rendered as they are, and conversations for the instance's own template. */
function toInput(request: PredictOptions, log: Log): PredictInput {
  const { messages, tools, toolChoice, metadata } = toConversation(request)
  const isConversation = messages.length > 0
  warnOfDropped(request, log)
  return {
    ...(isConversation ? { messages } : { prompt: request.Prompt }),
    temperature: request.Temperature,
    logitBias: readBias(request.LogitBias),
    options: {
      max_tokens: request.Tokens,
      top_p: request.TopP,
      top_k: request.TopK,
      min_p: request.MinP,
      typical_p: request.TypicalP,
      tfz: request.TailFreeSamplingZ,
      seed: request.Seed,
      repeat_penalty: request.Penalty,
      repeat_last_n: request.Repeat,
      frequency_penalty: request.FrequencyPenalty,
      presence_penalty: request.PresencePenalty,
      ignore_eos: request.IgnoreEOS,
      n_keep: request.NKeep,
      negative_prompt: request.NegativePrompt,
      negative_prompt_scale: request.NegativePromptScale,
      stop: request.StopPrompts,
      // Completions take no tools.
      ...(isConversation ? { tools, tool_choice: toolChoice } : {}),
      logprobs: request.Logprobs > 0,
      top_logprobs: request.TopLogprobs,
      reasoning_effort: metadata.reasoning_effort,
      metadata,
    },
  }
}

/** A text this long is not parsed: that would hold the event loop of the host. */
const MAX_PARSED = 64 * 1024

/** The biases as JSON text; undefined for none, and for a text that is not an object. */
function readBias(text: string): string | undefined {
  const trimmed = text.trim()
  if (!trimmed.startsWith('{') || !trimmed.endsWith('}') || trimmed === '{}') return undefined
  return trimmed.length > MAX_PARSED || parseJson(trimmed) !== undefined ? trimmed : undefined
}

/** Warns of fields that no route takes, or that the contract cannot assign to a message (§6.5). */
function warnOfDropped({ Grammar, Images, Audios, Videos }: PredictOptions, log: Log): void {
  const dropped = Object.entries({ grammar: Grammar, images: Images, audio: Audios, video: Videos })
    .filter(([, value]) => value.length > 0)
    .map(([name]) => name)
  if (dropped.length > 0) log.warn(`cannot be forwarded, left out: ${dropped.join(', ')}`)
}

/** Builds a piece of an answer; its figures are running totals. */
function toReply({ text, reasoning, calls, logprobs, usage }: PredictPiece): PartialMessage<Reply> {
  return {
    message: Buffer.from(text),
    chatDeltas: [{ content: text, reasoningContent: reasoning, toolCalls: [...calls] }],
    ...(logprobs === undefined ? {} : { logprobs: Buffer.from(JSON.stringify(logprobs)) }),
    ...(usage === undefined ? {} : toFigures(usage)),
  }
}

function toFigures(usage: NonNullable<PredictPiece['usage']>): PartialMessage<Reply> {
  return {
    tokens: usage.completionTokens,
    promptTokens: usage.promptTokens,
    timingPromptProcessing: usage.promptMs,
    timingTokenGeneration: usage.generationMs,
  }
}
