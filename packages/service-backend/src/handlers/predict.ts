import type { Message, PartialMessage, PredictOptions, Reply } from '@svc/backend-client/proto'
import type { BackendHandlers, Log } from '@svc/backend-kit'
import type { PredictInput, PredictPiece } from '@svc/proxy'
import { toCall } from '../call.ts'
import type { ServiceHost } from '../host.ts'

/** Predict and PredictStream. */
export function createPredictHandlers(host: ServiceHost): Pick<BackendHandlers, 'predict' | 'predictStream'> {
  return {
    predict: async (request, context) => {
      const service = host.use(request.ModelIdentity)
      return toReply(await service.predict(toInput(request, host.log), toCall(context)))
    },
    predictStream: async function* (request, context) {
      const service = host.use(request.ModelIdentity)
      for await (const piece of service.predictStream(toInput(request, host.log), toCall(context))) yield toReply(piece)
    },
  }
}

/** Prompts that the host rendered go as they are, conversations for the instance's own template. */
function toInput(request: PredictOptions, log: Log): PredictInput {
  const { Metadata: metadata } = request
  warnOfDropped(request, log)
  return {
    ...(request.Messages.length > 0 ? { messages: request.Messages.map(toMessage) } : { prompt: request.Prompt }),
    temperature: request.Temperature,
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
      logit_bias: parseJson(request.LogitBias),
      tools: parseJson(request.Tools),
      tool_choice: parseJson(request.ToolChoice) ?? request.ToolChoice,
      logprobs: request.Logprobs > 0,
      top_logprobs: request.TopLogprobs,
      reasoning_effort: metadata.reasoning_effort,
      metadata: withoutTemplate(metadata),
    },
  }
}

/** What no route takes, or what the contract does not say whose it is (§6.5). */
function warnOfDropped({ Grammar, Images, Audios, Videos }: PredictOptions, log: Log): void {
  const dropped = Object.entries({ grammar: Grammar, images: Images, audio: Audios, video: Videos })
    .filter(([, value]) => value.length > 0)
    .map(([name]) => name)
  if (dropped.length > 0) log.warn(`cannot be forwarded, left out: ${dropped.join(', ')}`)
}

/** The instance has a template of its own, and arguments for it. */
function withoutTemplate({ chat_template_kwargs: _own, ...metadata }: Record<string, string>): Record<string, string> {
  return metadata
}

function toMessage({ role, content, name, toolCallId, reasoningContent, toolCalls }: Message): Record<string, unknown> {
  const calls = parseJson(toolCalls)
  return {
    role,
    content,
    ...(name === '' ? {} : { name }),
    ...(toolCallId === '' ? {} : { tool_call_id: toolCallId }),
    ...(reasoningContent === '' ? {} : { reasoning: reasoningContent }),
    ...(Array.isArray(calls) && calls.length > 0 ? { tool_calls: calls } : {}),
  }
}

/** A piece of an answer; its figures are running totals. */
function toReply({ text, reasoning, calls, logprobs, usage }: PredictPiece): PartialMessage<Reply> {
  return {
    message: Buffer.from(text),
    chatDeltas: [{ content: text, reasoningContent: reasoning, toolCalls: [...calls] }],
    ...(logprobs === undefined ? {} : { logprobs: Buffer.from(JSON.stringify(logprobs)) }),
    ...(usage === undefined ? {} : { tokens: usage.completionTokens, promptTokens: usage.promptTokens }),
  }
}

function parseJson(text: string): unknown {
  if (text === '') return undefined
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
