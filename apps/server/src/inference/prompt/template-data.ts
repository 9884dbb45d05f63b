import { type GoStruct, goMap, goSlice, goStruct } from '@svc/templates'
import { toCallArguments } from '../engine/fill-arguments.ts'
import type { MediaCounts, PromptToolCall } from './prompt-input.ts'
import type { PromptTool } from './select-tools.ts'

/*
 * The values that templates of model files see. Existing files fix names and types: a template fails on a field that is
 * not here, and JSON keeps the order of fields.
 */

const FUNCTION = goStruct('Function', {
  Name: { type: 'string', json: 'name' },
  Description: { type: 'string', json: 'description' },
  Strict: { type: 'bool', json: 'strict' },
  Parameters: { type: goMap('any'), json: 'parameters' },
})

const PROMPT = goStruct('PromptTemplateData', {
  SystemPrompt: 'string',
  SuppressSystemPrompt: 'bool',
  Input: 'string',
  Instruction: 'string',
  Functions: goSlice(FUNCTION),
  MessageIndex: 'int',
  ReasoningEffort: 'string',
  Metadata: goMap('string'),
})

const FUNCTION_CALL = goStruct('FunctionCall', {
  Name: { type: 'string', json: 'name,omitempty' },
  Arguments: { type: 'string', json: 'arguments' },
})

const TOOL_CALL = goStruct('ToolCall', {
  Index: { type: 'int', json: 'index' },
  ID: { type: 'string', json: 'id' },
  Type: { type: 'string', json: 'type' },
  FunctionCall: { type: FUNCTION_CALL, json: 'function' },
})

const CHAT_MESSAGE = goStruct('ChatMessageTemplateData', {
  SystemPrompt: 'string',
  Role: 'string',
  RoleName: 'string',
  FunctionName: 'string',
  Content: 'string',
  MessageIndex: 'int',
  Function: 'bool',
  FunctionCall: 'any',
  LastMessage: 'bool',
})

const MEDIUM = goStruct('MultimodalContent', { ID: 'int' })

const MULTIMODAL = goStruct('MultimodalData', {
  Audio: goSlice(MEDIUM),
  Images: goSlice(MEDIUM),
  Video: goSlice(MEDIUM),
  Text: 'string',
})

/** Data of `chat`, `function`, `completion` and `edit` templates. */
export interface PromptData {
  readonly systemPrompt?: string | undefined
  readonly suppressSystemPrompt?: boolean | undefined
  readonly input: string
  readonly instruction?: string | undefined
  readonly functions?: readonly PromptTool[] | undefined
  readonly reasoningEffort?: string | undefined
  readonly metadata?: Readonly<Record<string, string>> | undefined
}

/** @throws {SvcError} `template_limit` for parameters nested too deep */
export function toPromptData(data: PromptData): GoStruct {
  return PROMPT.of({
    SystemPrompt: data.systemPrompt,
    SuppressSystemPrompt: data.suppressSystemPrompt,
    Input: data.input,
    Instruction: data.instruction,
    Functions: data.functions?.map(toFunction),
    ReasoningEffort: data.reasoningEffort,
    Metadata: data.metadata,
  })
}

function toFunction(tool: PromptTool): GoStruct {
  const { name, description, strict, parameters } = tool
  return FUNCTION.of({ Name: name, Description: description, Strict: strict, Parameters: parameters })
}

/** Data of `chat_message` templates. */
export interface ChatMessageData {
  readonly systemPrompt?: string | undefined
  /** The role as the model's `roles` print it; empty when they lack it. */
  readonly role: string
  readonly roleName: string
  readonly functionName?: string | undefined
  readonly content: string
  readonly index: number
  readonly isLast: boolean
  /** Whether a grammar holds the reply to this message. */
  readonly hasGrammar: boolean
  /** {@link toCallList}, a plain object for the older format, or null. */
  readonly calls: unknown
}

/** @throws {SvcError} `template_limit` for calls nested too deep */
export function toChatMessageData(data: ChatMessageData): GoStruct {
  return CHAT_MESSAGE.of({
    SystemPrompt: data.systemPrompt,
    Role: data.role,
    RoleName: data.roleName,
    FunctionName: data.functionName,
    Content: data.content,
    MessageIndex: data.index,
    Function: data.hasGrammar,
    FunctionCall: data.calls,
    LastMessage: data.isLast,
  })
}

/** Converts calls to the list that templates and JSON show. */
export function toCallList(calls: readonly PromptToolCall[]): readonly GoStruct[] {
  return calls.map((call) =>
    TOOL_CALL.of({
      Index: call.index ?? 0,
      ID: call.id,
      Type: 'function',
      FunctionCall: { Name: call.name, Arguments: toCallArguments(call.arguments) },
    }),
  )
}

/**
 * Data of `multimodal` templates. Numbers of media run on from message to message: `first` counts the media before this
 * one.
 */
export function toMultimodalData(text: string, media: MediaCounts, first: Required<MediaCounts>): GoStruct {
  return MULTIMODAL.of({
    Audio: numbered(media.audio, first.audio),
    Images: numbered(media.images, first.images),
    Video: numbered(media.video, first.video),
    Text: text,
  })
}

function numbered(count = 0, first = 0): readonly GoStruct[] {
  return Array.from({ length: count }, (_, index) => MEDIUM.of({ ID: first + index }))
}
