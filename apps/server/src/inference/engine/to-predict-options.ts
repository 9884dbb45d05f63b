import { join } from 'node:path'
import type { PartialMessage } from '@svc/backend-client'
import type { Message, PredictOptions } from '@svc/backend-client/proto'
import type { ModelConfig, ModelParameters } from '../../catalog/model-config.ts'
import type { ChatMessage, ChatRequest, GenerationOptions, ToolCall } from '../core/request.ts'
import { chooseSeed } from './choose-seed.ts'
import { toCallArguments } from './fill-arguments.ts'

/** Context of a prediction beside model and request. */
export interface PredictContext {
  /** Appears in the log of the backend. */
  readonly correlationId: string
  /** Number of the choice, from 0. It is added to a fixed seed, because all choices would be equal otherwise. */
  readonly choice: number
  /** The conversation written with the templates of the model file. @default the backend applies the model's own */
  readonly prompt?: string | undefined
  /** Form of the answer, as a grammar of llama.cpp. @default the model's own */
  readonly grammar?: string | undefined
  /** Whether the form may wait for a trigger of the model file (`function.grammar.triggers`). @default false */
  readonly grammarMayWait?: boolean | undefined
  /** A seed for predictions without one, 0 to 2147483647. @default at random */
  readonly randomSeed?: (() => number) | undefined
}

/** Parts of a request that the contract with backends has fields for. */
export type PredictionInput = Pick<
  ChatRequest,
  'messages' | 'media' | 'generation' | 'tools' | 'toolChoice' | 'reasoningEffort' | 'thinking' | 'metadata'
>
type PredictFields = PartialMessage<PredictOptions>

/** Metadata keys that the server reads itself and sends to no backend or template. */
export const SERVER_METADATA: ReadonlySet<string> = new Set([
  'chat_template_kwargs',
  'mcp_servers',
  'mcp_prompt',
  'mcp_prompt_args',
  'mcp_resources',
  'localai_assistant',
  'mcp_approvals',
])

/**
 * Creates the options of Predict: the settings of the model, overridden by the request, and the conversation for the
 * model's own template. Call it with defaults filled in.
 */
export function toPredictOptions(model: ModelConfig, request: PredictionInput, context: PredictContext): PredictFields {
  return {
    ...toSettingFields(model),
    ...toSamplingFields(
      withinContext(mergeGeneration(model.parameters, request.generation), model, request.generation),
    ),
    StopPrompts: [...(model.llm.stopwords ?? []), ...(request.generation.stop ?? [])],
    Seed: chooseSeed(request.generation.seed ?? model.parameters.seed, context),
    ...(context.grammar === undefined ? {} : { Grammar: context.grammar }),
    Metadata: { ...toMetadata(model, request), ...toTriggerFields(model, context) },
    ...(context.prompt === undefined ? toConversationFields(request) : { Prompt: context.prompt }),
    // Some backends read tools beside a rendered prompt: vLLM, SGLang, MLX.
    ...toToolFields(request),
    ...toMediaFields(request),
    CorrelationId: context.correlationId,
    ModelIdentity: model.parameters.model ?? '',
  }
}

/** Creates the options of Embedding for one input, text or tokens. Call it with defaults filled in. */
export function toEmbeddingOptions(
  model: ModelConfig,
  input: string | readonly number[],
  context: { readonly correlationId: string; readonly truncates?: boolean | undefined },
): PredictFields {
  return {
    ...toSettingFields(model),
    ...toSamplingFields(toSampling(model.parameters)),
    ...(typeof input === 'string' ? { Embeddings: input } : { EmbeddingTokens: input }),
    ...(context.truncates === true ? { Metadata: { truncate: 'true' } } : {}),
    CorrelationId: context.correlationId,
    ModelIdentity: model.parameters.model ?? '',
  }
}

/** Settings of sampling, with the biases as a backend takes them. */
type Sampling = Omit<ModelParameters, 'logitBias'> & { readonly logitBias?: string | undefined }

function toSampling({ logitBias, ...parameters }: ModelParameters): Sampling {
  return { ...parameters, logitBias: logitBias === undefined ? undefined : JSON.stringify(logitBias) }
}

/** Merges the parameters of a request over those of the model. Penalties of 0 keep the model's own. */
function mergeGeneration(parameters: ModelParameters, generation: GenerationOptions): Sampling {
  const { repeatPenalty, repeatLastN, frequencyPenalty, presencePenalty } = generation
  const given: Partial<Record<keyof ModelParameters, unknown>> = {
    temperature: generation.temperature,
    topP: generation.topP,
    topK: generation.topK,
    minP: generation.minP,
    typicalP: generation.typicalP,
    tfz: generation.tfz,
    maxTokens: generation.maxTokens,
    nKeep: generation.nKeep,
    batch: generation.batch,
    ignoreEos: generation.ignoreEos,
    logprobs: generation.logprobs,
    topLogprobs: generation.topLogprobs,
    logitBias: generation.logitBias,
    negativePrompt: generation.negativePrompt,
    negativePromptScale: generation.negativePromptScale,
    ropeFreqBase: generation.ropeFreqBase,
    ropeFreqScale: generation.ropeFreqScale,
    repeatPenalty: repeatPenalty || undefined,
    repeatLastN: repeatLastN || undefined,
    frequencyPenalty: frequencyPenalty || undefined,
    presencePenalty: presencePenalty || undefined,
  }
  const set = Object.entries(given).filter(([, value]) => value !== undefined)
  return { ...toSampling(parameters), ...Object.fromEntries(set) }
}

/** A lowered context limits the answer; a lower limit of the request still applies. */
function withinContext(parameters: Sampling, model: ModelConfig, { contextSize }: GenerationOptions): Sampling {
  const { contextSize: modelSize = 0 } = model
  if (contextSize === undefined || (modelSize > 0 && contextSize >= modelSize)) return parameters
  const own = parameters.maxTokens ?? 0
  return { ...parameters, maxTokens: own > 0 ? Math.min(own, contextSize) : contextSize }
}

/** Fields that only the model file decides. */
function toSettingFields({ llm, folder, threads, f16, debug }: ModelConfig): PredictFields {
  return {
    Threads: threads,
    F16KV: f16,
    DebugMode: debug,
    Debug: debug,
    MLock: llm.mmlock,
    MMap: llm.mmap,
    MainGPU: llm.mainGpu,
    TensorSplit: llm.tensorSplit,
    NDraft: llm.nDraft,
    Mirostat: llm.mirostat,
    MirostatETA: llm.mirostatEta,
    MirostatTAU: llm.mirostatTau,
    Grammar: llm.grammar,
    PromptCacheAll: llm.promptCacheAll,
    PromptCacheRO: llm.promptCacheRo,
    PromptCachePath: llm.promptCachePath ? join(folder, llm.promptCachePath) : undefined,
  }
}

/** Fields of sampling. */
function toSamplingFields(parameters: Sampling): PredictFields {
  const { logprobs = false, topLogprobs } = parameters
  return {
    Temperature: parameters.temperature,
    TopP: parameters.topP,
    TopK: parameters.topK,
    MinP: parameters.minP,
    TypicalP: parameters.typicalP,
    TailFreeSamplingZ: parameters.tfz,
    Tokens: parameters.maxTokens,
    Penalty: parameters.repeatPenalty,
    Repeat: parameters.repeatLastN,
    FrequencyPenalty: parameters.frequencyPenalty,
    PresencePenalty: parameters.presencePenalty,
    NKeep: parameters.nKeep,
    Batch: parameters.batch,
    IgnoreEOS: parameters.ignoreEos,
    NegativePrompt: parameters.negativePrompt,
    NegativePromptScale: parameters.negativePromptScale,
    RopeFreqBase: parameters.ropeFreqBase,
    RopeFreqScale: parameters.ropeFreqScale,
    Logprobs: logprobs ? 1 : undefined,
    TopLogprobs: logprobs ? topLogprobs || 1 : topLogprobs,
    LogitBias: parameters.logitBias,
  }
}

/** A model with triggers lets every grammar wait for one, unless the request forbids it. */
function toTriggerFields(
  model: ModelConfig,
  { grammar, grammarMayWait = false }: PredictContext,
): Record<string, string> {
  const hasTriggers = (model.function.grammar?.triggers?.length ?? 0) > 0
  return grammar === undefined || grammarMayWait || !hasTriggers ? {} : { grammar_lazy: 'false' }
}

/** Metadata for templates and backends: the model's switches, overridden by the client's. */
function toMetadata(model: ModelConfig, request: PredictionInput): Record<string, string> {
  const effort = request.reasoningEffort || model.reasoningEffort
  const disabled = reasoningDisabled(model.reasoning.disable, { effort, thinking: request.thinking })
  const metadata: Record<string, string> = {
    ...(disabled === undefined ? {} : { enable_thinking: String(!disabled) }),
    ...(effort ? { reasoning_effort: effort } : {}),
    ...Object.fromEntries(Object.entries(request.metadata ?? {}).filter(([key]) => !SERVER_METADATA.has(key))),
  }
  const kwargs = {
    ...model.chatTemplateKwargs,
    ...Object.fromEntries(Object.entries(metadata).map(([key, value]) => [key, toTemplateValue(value)])),
  }
  if (Object.keys(kwargs).length === 0) return metadata
  return { ...metadata, chat_template_kwargs: JSON.stringify(kwargs) }
}

/** Whether the request turns thinking off in templates. */
export function thinkingIsOff(
  model: Pick<ModelConfig, 'reasoning' | 'reasoningEffort'>,
  request: Pick<PredictionInput, 'reasoningEffort' | 'thinking' | 'metadata'>,
): boolean {
  const said = request.metadata?.enable_thinking
  if (said !== undefined) return said === 'false'
  const effort = request.reasoningEffort || model.reasoningEffort
  return reasoningDisabled(model.reasoning.disable, { effort, thinking: request.thinking }) === true
}

const REASONING_EFFORTS: ReadonlySet<string> = new Set(['minimal', 'low', 'medium', 'high'])

/**
 * A request switches reasoning with a flag or an effort. It never switches it on when the model file switches it off.
 */
function reasoningDisabled(
  configured: boolean | undefined,
  { effort = '', thinking }: { readonly effort?: string | undefined; readonly thinking?: boolean | undefined },
): boolean | undefined {
  if (thinking !== undefined) return thinking ? (configured ?? false) : true
  const word = effort.toLowerCase()
  if (word === 'none') return true
  return REASONING_EFFORTS.has(word) ? (configured ?? false) : configured
}

/** Templates test booleans; the text "false" would count as true. */
function toTemplateValue(value: string): string | boolean {
  if (value === 'true') return true
  return value === 'false' ? false : value
}

function toConversationFields(request: PredictionInput): PredictFields {
  return { UseTokenizerTemplate: true, Messages: request.messages.map(toMessage) }
}

/** Markers in the prompt mean these media in order, whether server or backend writes the prompt. */
function toMediaFields({ media }: PredictionInput): PredictFields {
  return media === undefined ? {} : { Images: media.images, Audios: media.audio, Videos: media.video }
}

function toToolFields({ tools = [], toolChoice }: PredictionInput): PredictFields {
  if (tools.length === 0 || toolChoice === 'none') return {}
  return { Tools: JSON.stringify(tools), ToolChoice: toolChoice === undefined ? undefined : JSON.stringify(toolChoice) }
}

function toMessage(message: ChatMessage): PartialMessage<Message> {
  const calls = [...(message.toolCalls ?? []), ...toOlderCalls(message)]
  return {
    role: message.role === 'function' ? 'tool' : message.role,
    content: message.content,
    name: message.name,
    toolCallId: message.toolCallId,
    reasoningContent: message.reasoning,
    toolCalls: calls.length > 0 ? JSON.stringify(calls.map(toWireCall)) : undefined,
  }
}

/** Templates of models know only the newer form. */
function toOlderCalls({ functionCall }: ChatMessage): readonly ToolCall[] {
  return functionCall === undefined
    ? []
    : [{ id: '', name: functionCall.name, arguments: toCallArguments(functionCall.arguments) }]
}

function toWireCall(call: ToolCall): unknown {
  const { index = 0, id, name } = call
  return { index, id, type: 'function', function: { name, arguments: toCallArguments(call.arguments) } }
}
