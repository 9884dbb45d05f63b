import type { Message, PredictOptions } from '../gen/backend.ts'
import type { PartialMessage } from '../method.ts'
import type { MessageWriter } from './message-writer.ts'

/**
 * Writes a `PredictOptions` from the fields that are set, in the order of their numbers. The generated code writes the
 * same bytes.
 *
 * @throws an error for a number that its field cannot hold
 */
export function writePredictOptions(writer: MessageWriter, request: PartialMessage<PredictOptions>): void {
  text(writer, 10, request.Prompt)
  int32(writer, 16, request.Seed)
  int32(writer, 24, request.Threads)
  int32(writer, 32, request.Tokens)
  int32(writer, 40, request.TopK)
  int32(writer, 48, request.Repeat)
  int32(writer, 56, request.Batch)
  int32(writer, 64, request.NKeep)
  float(writer, 77, request.Temperature)
  float(writer, 85, request.Penalty)
  bool(writer, 88, request.F16KV)
  bool(writer, 96, request.DebugMode)
  texts(writer, 106, request.StopPrompts)
  bool(writer, 112, request.IgnoreEOS)
  float(writer, 125, request.TailFreeSamplingZ)
  float(writer, 133, request.TypicalP)
  float(writer, 141, request.FrequencyPenalty)
  float(writer, 149, request.PresencePenalty)
  int32(writer, 152, request.Mirostat)
  float(writer, 165, request.MirostatETA)
  float(writer, 173, request.MirostatTAU)
  bool(writer, 176, request.PenalizeNL)
  text(writer, 186, request.LogitBias)
  bool(writer, 200, request.MLock)
  bool(writer, 208, request.MMap)
  bool(writer, 216, request.PromptCacheAll)
  bool(writer, 224, request.PromptCacheRO)
  text(writer, 234, request.Grammar)
  text(writer, 242, request.MainGPU)
  text(writer, 250, request.TensorSplit)
  float(writer, 261, request.TopP)
  text(writer, 266, request.PromptCachePath)
  bool(writer, 272, request.Debug)
  int32s(writer, 282, request.EmbeddingTokens)
  text(writer, 290, request.Embeddings)
  float(writer, 301, request.RopeFreqBase)
  float(writer, 309, request.RopeFreqScale)
  float(writer, 317, request.NegativePromptScale)
  text(writer, 322, request.NegativePrompt)
  int32(writer, 328, request.NDraft)
  texts(writer, 338, request.Images)
  bool(writer, 344, request.UseTokenizerTemplate)
  for (const message of request.Messages ?? []) writer.message(354, message, writeMessage)
  texts(writer, 362, request.Videos)
  texts(writer, 370, request.Audios)
  text(writer, 378, request.CorrelationId)
  text(writer, 386, request.Tools)
  text(writer, 394, request.ToolChoice)
  int32(writer, 400, request.Logprobs)
  int32(writer, 408, request.TopLogprobs)
  for (const entry of Object.entries(request.Metadata ?? {})) writer.message(418, entry, writeEntry)
  float(writer, 429, request.MinP)
  text(writer, 434, request.ModelIdentity)
}

function writeMessage(writer: MessageWriter, message: PartialMessage<Message>): void {
  text(writer, 10, message.role)
  text(writer, 18, message.content)
  text(writer, 26, message.name)
  text(writer, 34, message.toolCallId)
  text(writer, 42, message.reasoningContent)
  text(writer, 50, message.toolCalls)
}

function writeEntry(writer: MessageWriter, [key, value]: readonly [string, string | undefined]): void {
  text(writer, 10, key)
  text(writer, 18, value)
}

function text(writer: MessageWriter, tag: number, value: string | undefined): void {
  if (value) writer.text(tag, value)
}

function int32(writer: MessageWriter, tag: number, value: number | undefined): void {
  if (value) writer.int32(tag, value)
}

function float(writer: MessageWriter, tag: number, value: number | undefined): void {
  if (value !== undefined && value !== 0) writer.float(tag, value)
}

function bool(writer: MessageWriter, tag: number, value: boolean | undefined): void {
  if (value) writer.flag(tag)
}

function texts(writer: MessageWriter, tag: number, values: readonly (string | undefined)[] | undefined): void {
  for (const value of values ?? []) writer.text(tag, value ?? '')
}

function int32s(writer: MessageWriter, tag: number, values: readonly (number | undefined)[] | undefined): void {
  if (values !== undefined && values.length > 0) writer.int32s(tag, values)
}
