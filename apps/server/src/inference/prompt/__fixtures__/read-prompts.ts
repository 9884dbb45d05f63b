import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { parseModelFile } from '../../../catalog/config-file.ts'
import { withDefaults } from '../../../catalog/defaults.ts'
import type { ModelConfig } from '../../../catalog/model-config.ts'
import type { ChatPromptInput, MediaCounts, PromptMessage, PromptToolCall } from '../prompt-input.ts'

/** A request to a model file with the prompt that existing servers write for it. */
export interface PromptRecord {
  readonly name: string
  readonly file: string
  readonly kind: 'chat' | 'completion' | 'edit'
  readonly request: RequestBody
  /** Null when the backend applies the model's own template. */
  readonly prompt?: string | null
  readonly prompts?: readonly string[]
  readonly backend_messages?: readonly Readonly<Record<string, string>>[]
  readonly stop: readonly string[]
  readonly tools_active?: boolean
  readonly grammar?: boolean
  /** Reason why our prompt may differ. */
  readonly quirk?: string
}

/** Part of the compatible format that the records use. */
interface RequestBody {
  readonly messages?: readonly MessageBody[]
  readonly tools?: readonly unknown[]
  readonly functions?: readonly unknown[]
  readonly tool_choice?: unknown
  readonly response_format?: unknown
  readonly reasoning_effort?: string
  readonly metadata?: Readonly<Record<string, string>>
  readonly stop?: string | readonly string[]
  readonly prompt?: string | readonly string[]
  readonly input?: string
  readonly instruction?: string
}

interface MessageBody {
  readonly role: string
  readonly content: string | null | readonly { readonly type: string; readonly text?: string }[]
  readonly name?: string
  readonly tool_call_id?: string
  readonly tool_calls?: readonly {
    readonly index?: number
    readonly id: string
    readonly function: { readonly name: string; readonly arguments: string }
  }[]
  readonly function_call?: Readonly<Record<string, unknown>>
}

/** Folder of the recorded model files. */
export const MODELS = fileURLToPath(new URL('model-yaml/', import.meta.url))

/** Reads all records. */
export function readPrompts(): readonly PromptRecord[] {
  const text = readFileSync(new URL('prompts.jsonl', import.meta.url), 'utf8')
  return text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))
}

/** Reads a model from text, as the directory of models gives it. */
export function parseModel(yaml: string, { file = 'm.yaml', folder = MODELS } = {}): ModelConfig {
  const { models, problems } = parseModelFile(yaml, { file, folder, modifiedAt: 0 })
  const [model] = models
  if (model === undefined) throw new Error(`no model: ${JSON.stringify(problems)}`)
  return withDefaults(model, { threads: 1, defaultThreads: 1, f16: false, debug: false, contextSize: 0 })
}

/** Reads the model of a recorded file. */
export function readModel(file: string): ModelConfig {
  return parseModel(readFileSync(`${MODELS}${file}`, 'utf8'), { file })
}

/** Converts a recorded body to the input of a prompt. */
export function toPromptInput(body: RequestBody): ChatPromptInput & { readonly messages: readonly BackendMessage[] } {
  const format = body.response_format
  return {
    messages: (body.messages ?? []).map(toPromptMessage),
    tools: body.tools ?? body.functions?.map((definition) => ({ type: 'function', function: definition })),
    toolChoice: body.tool_choice,
    ...(format === undefined ? {} : { structuredOutput: format }),
    reasoningEffort: body.reasoning_effort,
    metadata: body.metadata,
  }
}

/** A message that names the call it answers, as backends get it. */
export interface BackendMessage extends PromptMessage {
  readonly toolCallId?: string | undefined
}

function toPromptMessage(message: MessageBody): BackendMessage {
  const { role, name } = message
  const content = message.content ?? ''
  return {
    role,
    content: typeof content === 'string' ? content : content.map(({ text = '' }) => text).join(''),
    name,
    toolCallId: message.tool_call_id,
    toolCalls: message.tool_calls?.map(toCall),
    functionCall: message.function_call,
    media: typeof content === 'string' ? undefined : countMedia(content.map(({ type }) => type)),
  }
}

function toCall(call: NonNullable<MessageBody['tool_calls']>[number]): PromptToolCall {
  return { id: call.id, index: call.index, name: call.function.name, arguments: call.function.arguments }
}

function countMedia(types: readonly string[]): MediaCounts {
  const count = (type: string) => types.filter((each) => each === type).length
  return { images: count('image_url'), audio: count('input_audio'), video: count('video_url') }
}

/** Gives the stop texts of the request. */
export function toStop({ stop = [] }: RequestBody): readonly string[] {
  return typeof stop === 'string' ? [stop] : stop
}
