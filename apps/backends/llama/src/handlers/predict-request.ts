import type { Message, PredictOptions } from '@svc/backend-client/proto'
import { type ChatTurn, parseJsonKeepingNumbers } from '@svc/templates'
import type { Token } from 'node-llama-cpp'
import type { ChatInput } from '../engine/chat-template.ts'
import type { GenerateRequest } from '../engine/generate.ts'
import type { GrammarRequest } from '../engine/grammar.ts'
import { type PromptModel, type PromptSource, toPromptTokens } from '../engine/prompt.ts'
import type { SamplingRequest } from '../engine/sampling.ts'
import type { ModelSettings } from '../engine/settings.ts'
import { invalidRequest } from '../errors.ts'
import type { LaneOptions } from './reply-lanes.ts'

/** Templates write the role beside their marks, so it must not contain a part of one. */
const ROLE = /^[A-Za-z0-9_-]{1,64}$/

/** Most of the likeliest tokens that are reported at one place. */
export const MAX_TOP_LOGPROBS = 20
/** Every piece of an answer is searched for each of them. */
const MAX_STOPS = 1024
/** Enough for any tag at the end of a prompt. */
const PROMPT_END_TOKENS = 32

/** The parts of a model that reading a request uses. */
export interface PredictModel extends PromptModel {
  readonly settings: Pick<ModelSettings, 'grammarTriggers'>
}

/** Reads a Predict request, with its prompt as tokens. @throws LlamaError `invalid_request` */
export function toGenerateRequest(request: PredictOptions, model: PredictModel): GenerateRequest {
  if (request.Images.length + request.Videos.length + request.Audios.length > 0) {
    throw invalidRequest('this model reads text only', 'Images')
  }
  return {
    prompt: toPromptTokens(model, toPromptSource(request)),
    maxTokens: request.Tokens,
    keep: request.NKeep,
    reusePrefix: request.PromptCacheAll,
    stop: readStops(request),
    sampling: toSamplingRequest(request),
    grammar: toGrammarRequest(request, model.settings.grammarTriggers),
    topLogprobs: readTopLogprobs(request),
  }
}

/**
 * Reads the grammar of a request; it waits for a trigger of the model, if there are any and the metadata does not
 * forbid it.
 */
function toGrammarRequest(
  { Grammar, Metadata }: PredictOptions,
  triggers: readonly string[],
): GrammarRequest | undefined {
  if (Grammar === '') return undefined
  return { text: Grammar, triggers: Metadata.grammar_lazy === 'false' ? [] : triggers }
}

function readStops({ StopPrompts }: PredictOptions): readonly string[] {
  if (StopPrompts.length > MAX_STOPS) throw invalidRequest(`more than ${MAX_STOPS} stop texts`, 'StopPrompts')
  return StopPrompts
}

function readTopLogprobs({ Logprobs, TopLogprobs }: PredictOptions): number | undefined {
  if (Logprobs <= 0) return undefined
  if (TopLogprobs > MAX_TOP_LOGPROBS) throw invalidRequest(`at most ${MAX_TOP_LOGPROBS} are told of`, 'TopLogprobs')
  return Math.max(0, TopLogprobs)
}

/**
 * Reads the prompt of a request: its messages when the request asks for the model's template and has any, else its
 * text.
 */
export function toPromptSource(request: PredictOptions): PromptSource {
  if (!request.UseTokenizerTemplate || request.Messages.length === 0) return { kind: 'text', text: request.Prompt }
  return { kind: 'chat', input: toChatInput(request) }
}

function toChatInput(request: PredictOptions): ChatInput {
  return {
    messages: request.Messages.map(toChatTurn),
    tools: readTools(request) && (parseJsonKeepingNumbers(request.Tools) as readonly unknown[]),
    variables: readVariables(request.Metadata),
  }
}

function toChatTurn(message: Message, index: number): ChatTurn {
  if (!ROLE.test(message.role)) throw invalidRequest('a role is a short name', `Messages[${index}].role`)
  return {
    role: message.role,
    content: message.content,
    name: message.name,
    tool_call_id: message.toolCallId,
    reasoning_content: message.reasoningContent,
    tool_calls: readCalls(message.toolCalls, `Messages[${index}].tool_calls`),
  }
}

/** Numbers and the order of keys stay as the client wrote them, because templates show both. */
function readCalls(text: string, field: string): readonly unknown[] | undefined {
  return parseJson(text, field, Array.isArray) && (parseJsonKeepingNumbers(text) as readonly unknown[])
}

function readTools({ Tools, ToolChoice }: PredictOptions): readonly unknown[] | null {
  const tools = parseJson(Tools, 'Tools', Array.isArray)
  const refused = /^\s*"?none"?\s*$/.test(ToolChoice)
  return tools === undefined || tools.length === 0 || refused ? null : tools
}

/** `chat_template_kwargs` holds the client's own variables and so comes last. */
function readVariables(metadata: Readonly<Record<string, string>>): Record<string, unknown> {
  const { enable_thinking: thinking, reasoning_effort: effort, chat_template_kwargs: given = '' } = metadata
  return {
    ...(thinking !== undefined && { enable_thinking: thinking === 'true' }),
    ...(effort && { reasoning_effort: effort }),
    ...parseJson(given, 'Metadata.chat_template_kwargs', isRecord),
  }
}

/**
 * Options for splitting the answer to a conversation into lanes. Undefined when all of it is text: for a prompt
 * rendered elsewhere, and for a model without thoughts when the request has no tools.
 */
export function toLaneOptions(
  request: PredictOptions,
  { tokenizer, chatTemplate }: PromptModel,
  prompt: readonly Token[],
): LaneOptions | undefined {
  if (toPromptSource(request).kind === 'text') return undefined
  const tools = readTools(request)
  if (tools === null && !chatTemplate.supportsThinking) return undefined
  return {
    promptEnd: tokenizer.toText(prompt.slice(-PROMPT_END_TOKENS)),
    thinks: request.Metadata.enable_thinking !== 'false',
    tools,
    markers: chatTemplate.markers,
  }
}

function toSamplingRequest(request: PredictOptions): SamplingRequest {
  return {
    temperature: request.Temperature,
    topK: request.TopK,
    topP: request.TopP,
    minP: request.MinP,
    typicalP: request.TypicalP,
    tailFreeZ: request.TailFreeSamplingZ,
    mirostat: request.Mirostat,
    mirostatEta: request.MirostatETA,
    mirostatTau: request.MirostatTAU,
    seed: request.Seed,
    repeatPenalty: request.Penalty,
    repeatLastN: request.Repeat,
    frequencyPenalty: request.FrequencyPenalty,
    presencePenalty: request.PresencePenalty,
    logitBias: request.LogitBias,
    ignoreEos: request.IgnoreEOS,
  }
}

/** Parses a field of JSON text; undefined when it is empty or null. */
function parseJson<Value>(text: string, field: string, is: (value: unknown) => value is Value): Value | undefined {
  if (text.trim() === '') return undefined
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    throw invalidRequest('the field is not JSON', field)
  }
  if (value === null) return undefined
  if (!is(value)) throw invalidRequest('the field has the wrong shape', field)
  return value
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
