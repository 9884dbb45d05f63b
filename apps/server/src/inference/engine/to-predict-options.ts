import { join } from 'node:path'
import type { PartialMessage } from '@svc/backend-client'
import type { Message, PredictOptions } from '@svc/backend-client/proto'
import type { ModelConfig } from '../../catalog/model-config.ts'
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
const SERVER_METADATA: ReadonlySet<string> = new Set([
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
  const { generation } = request
  const options: PredictOptionsBuilder = toModelFields(model, generation)
  const { contextSize } = generation
  if (contextSize !== undefined) options.Tokens = withinContext(options.Tokens ?? 0, contextSize, model)
  options.StopPrompts = joinStopTexts(model.llm.stopwords, generation.stop)
  options.Seed = chooseSeed(generation.seed ?? model.parameters.seed, context)
  options.Grammar = context.grammar ?? options.Grammar
  options.Metadata = toMetadata(model, request, context)
  if (context.prompt === undefined) {
    options.UseTokenizerTemplate = true
    options.Messages = request.messages.map(toMessage)
  } else options.Prompt = context.prompt
  // Some backends read tools beside a rendered prompt: vLLM, SGLang, MLX.
  addTools(options, request)
  addMedia(options, request)
  options.CorrelationId = context.correlationId
  return options
}

/** Creates the options of Embedding for one input, text or tokens. Call it with defaults filled in. */
export function toEmbeddingOptions(
  model: ModelConfig,
  input: string | readonly number[],
  context: { readonly correlationId: string; readonly truncates?: boolean | undefined },
): PredictFields {
  return {
    ...toModelFields(model, NO_GENERATION),
    ...(typeof input === 'string' ? { Embeddings: input } : { EmbeddingTokens: input }),
    ...(context.truncates === true ? { Metadata: { truncate: 'true' } } : {}),
    CorrelationId: context.correlationId,
  }
}

/** Options that are filled in one after the other: merging objects of fifty fields costs more than the rest of a call. */
type PredictOptionsBuilder = { -readonly [Field in keyof PredictFields]: PredictFields[Field] }

const NO_GENERATION: GenerationOptions = {}

/**
 * Fields that the model file decides, and those of sampling, which a request overrides. Penalties of 0 in a request keep
 * the model's own.
 */
function toModelFields(model: ModelConfig, asked: GenerationOptions): PredictFields {
  const { llm, parameters: own } = model
  const logprobs = asked.logprobs ?? own.logprobs ?? false
  const topLogprobs = asked.topLogprobs ?? own.topLogprobs
  return {
    Threads: model.threads,
    F16KV: model.f16,
    DebugMode: model.debug,
    Debug: model.debug,
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
    PromptCachePath: llm.promptCachePath ? join(model.folder, llm.promptCachePath) : undefined,
    Temperature: asked.temperature ?? own.temperature,
    TopP: asked.topP ?? own.topP,
    TopK: asked.topK ?? own.topK,
    MinP: asked.minP ?? own.minP,
    TypicalP: asked.typicalP ?? own.typicalP,
    TailFreeSamplingZ: asked.tfz ?? own.tfz,
    Tokens: asked.maxTokens ?? own.maxTokens,
    Penalty: asked.repeatPenalty || own.repeatPenalty,
    Repeat: asked.repeatLastN || own.repeatLastN,
    FrequencyPenalty: asked.frequencyPenalty || own.frequencyPenalty,
    PresencePenalty: asked.presencePenalty || own.presencePenalty,
    NKeep: asked.nKeep ?? own.nKeep,
    Batch: asked.batch ?? own.batch,
    IgnoreEOS: asked.ignoreEos ?? own.ignoreEos,
    NegativePrompt: asked.negativePrompt ?? own.negativePrompt,
    NegativePromptScale: asked.negativePromptScale ?? own.negativePromptScale,
    RopeFreqBase: asked.ropeFreqBase ?? own.ropeFreqBase,
    RopeFreqScale: asked.ropeFreqScale ?? own.ropeFreqScale,
    Logprobs: logprobs ? 1 : undefined,
    TopLogprobs: logprobs ? topLogprobs || 1 : topLogprobs,
    LogitBias: asked.logitBias ?? (own.logitBias && JSON.stringify(own.logitBias)),
    ModelIdentity: own.model ?? '',
  }
}

/** A lowered context limits the answer; a lower limit of the request still applies. 0 = no limit. */
function withinContext(tokens: number, contextSize: number, { contextSize: modelSize = 0 }: ModelConfig): number {
  if (modelSize > 0 && contextSize >= modelSize) return tokens
  return tokens > 0 ? Math.min(tokens, contextSize) : contextSize
}

const NO_TEXTS: readonly string[] = []

/** The stop texts of the model, then those of the request. */
function joinStopTexts(own = NO_TEXTS, asked = NO_TEXTS): readonly string[] {
  return asked.length === 0 ? own : [...own, ...asked]
}

/** A model with triggers lets every grammar wait for one, unless the request forbids it. */
function forbidsWaiting(model: ModelConfig, { grammar, grammarMayWait = false }: PredictContext): boolean {
  return grammar !== undefined && !grammarMayWait && (model.function.grammar?.triggers?.length ?? 0) > 0
}

/** Metadata for templates and backends: the model's switches, overridden by the client's. */
function toMetadata(model: ModelConfig, request: PredictionInput, context: PredictContext): Record<string, string> {
  const effort = request.reasoningEffort || model.reasoningEffort
  const disabled = reasoningDisabled(model.reasoning.disable, { effort, thinking: request.thinking })
  const switches: Record<string, string> = {}
  if (disabled !== undefined) switches.enable_thinking = String(!disabled)
  if (effort) switches.reasoning_effort = effort
  const metadata =
    request.metadata === undefined ? switches : { ...switches, ...withoutServerMetadata(request.metadata) }
  const values = toTemplateValues(model.chatTemplateKwargs, Object.entries(metadata))
  if (values !== undefined) metadata.chat_template_kwargs = JSON.stringify(values)
  if (forbidsWaiting(model, context)) metadata.grammar_lazy = 'false'
  return metadata
}

/** The metadata of a client that backends and templates may see. */
export function withoutServerMetadata(metadata: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(metadata).filter(([key]) => !SERVER_METADATA.has(key)))
}

/** Values that templates see: those of the model file, overridden by metadata. Undefined where there are none. */
function toTemplateValues(
  own: ModelConfig['chatTemplateKwargs'],
  metadata: readonly (readonly [string, string])[],
): Readonly<Record<string, unknown>> | undefined {
  const values =
    metadata.length === 0
      ? own
      : { ...own, ...Object.fromEntries(metadata.map(([key, value]) => [key, toTemplateValue(value)])) }
  return values === undefined || Object.keys(values).length === 0 ? undefined : values
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

/** Markers in the prompt mean these media in order, whether server or backend writes the prompt. */
function addMedia(options: PredictOptionsBuilder, { media }: PredictionInput): void {
  if (media === undefined) return
  options.Images = media.images
  options.Audios = media.audio
  options.Videos = media.video
}

function addTools(options: PredictOptionsBuilder, { tools = [], toolChoice }: PredictionInput): void {
  if (tools.length === 0 || toolChoice === 'none') return
  options.Tools = JSON.stringify(tools)
  options.ToolChoice = toolChoice === undefined ? undefined : JSON.stringify(toolChoice)
}

function toMessage(message: ChatMessage): PartialMessage<Message> {
  const calls = listCalls(message)
  return {
    role: message.role === 'function' ? 'tool' : message.role,
    content: message.content,
    name: message.name,
    toolCallId: message.toolCallId,
    reasoningContent: message.reasoning,
    toolCalls: calls.length > 0 ? JSON.stringify(calls.map(toWireCall)) : undefined,
  }
}

/** The calls of a message. Templates of models know only the newer form. */
function listCalls({ toolCalls = [], functionCall }: ChatMessage): readonly ToolCall[] {
  if (functionCall === undefined) return toolCalls
  return [...toolCalls, { id: '', name: functionCall.name, arguments: toCallArguments(functionCall.arguments) }]
}

function toWireCall(call: ToolCall): unknown {
  const { index = 0, id, name } = call
  return { index, id, type: 'function', function: { name, arguments: toCallArguments(call.arguments) } }
}
