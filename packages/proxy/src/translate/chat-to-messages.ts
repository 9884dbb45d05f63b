import type {
  MessagesBlock,
  MessagesMessage,
  MessagesRequest,
  MessagesTool,
  MessagesToolChoice,
} from '@svc/wire/messages'
import type { ChatCompletionRequest, ChatFunction } from '@svc/wire/openai'
import { dropAbsent, isFields, toFields } from '../fields.ts'
import { joinContentText } from './content-text.ts'
import { type HistoryCall, type HistoryEntry, toHistory } from './conversation.ts'
import { parseExactObject } from './exact-json.ts'
import { type ContentBlock, toBlocks } from './messages-blocks.ts'
import { type ToolUse, toToolUse } from './tools.ts'

/** Choices of {@link chatToMessages}. */
export interface MessagesOptions {
  readonly sendsSampling?: boolean | undefined
}

/** The messages format requires a limit; this is the default for clients that name none. */
const DEFAULT_MAX_TOKENS = 4096

interface Turn {
  readonly role: 'user' | 'assistant'
  readonly blocks: MessagesBlock[]
}

/**
 * Builds the request for an upstream of the messages format: system messages joined above, calls and results of tools
 * as blocks, consecutive messages of one role as one. Thoughts of earlier answers are left out: upstreams refuse them
 * without their own signature.
 *
 * @param options.sendsSampling sends temperature and the like. @default false, because the newest models refuse them
 * @throws {SvcError} `invalid_request` for content that the format cannot express
 */
export function chatToMessages(
  chat: ChatCompletionRequest,
  model: string,
  { sendsSampling = false }: MessagesOptions = {},
): MessagesRequest {
  const history = toHistory(chat.messages)
  const system = history.flatMap((entry) => (isSystem(entry) ? joinContentText(entry.content) : ''))
  const instructions = system.filter((text) => text.trim() !== '').join('\n\n')
  const turns = toTurns(history)
  // A conversation needs a turn: instructions without turns become the user's turn.
  const isAlone = turns.length === 0 && instructions !== ''
  if (isAlone) turns.push({ role: 'user', blocks: [{ type: 'text', text: instructions }] })
  const limit = chat.max_completion_tokens ?? chat.max_tokens ?? 0
  return {
    model,
    max_tokens: limit > 0 ? limit : DEFAULT_MAX_TOKENS,
    messages: turns.map(writeTurn),
    ...(sendsSampling ? toSampling(chat) : {}),
    ...dropAbsent({
      system: isAlone || instructions === '' ? undefined : instructions,
      stop_sequences: toStopSequences(chat.stop),
      ...writeTools(toToolUse(chat), turns),
      thinking: toThinking(chat.thinking, turns),
      output_config: toOutputConfig(chat),
      stream: chat.stream === true ? true : undefined,
    }),
  }
}

/** The format has no seed and no least probability, and its temperature ends at 1. */
function toSampling({ temperature, top_p, top_k }: ChatCompletionRequest): object {
  return dropAbsent({
    temperature: temperature == null ? undefined : Math.min(temperature, 1),
    top_p,
    top_k: top_k != null && top_k > 0 ? top_k : undefined,
  })
}

function isSystem({ role }: HistoryEntry): boolean {
  return role === 'system' || role === 'developer'
}

function toTurns(history: readonly HistoryEntry[]): Turn[] {
  const turns: Turn[] = []
  for (const [index, entry] of history.entries()) {
    if (isSystem(entry)) continue
    const role = entry.role === 'assistant' ? 'assistant' : 'user'
    const blocks = convertEntry(entry, `messages[${index}].content`)
    const last = turns.at(-1)
    if (last?.role === role) last.blocks.push(...blocks)
    else if (blocks.length > 0) turns.push({ role, blocks })
  }
  return turns
}

function convertEntry(entry: HistoryEntry, param: string): MessagesBlock[] {
  const content = toBlocks(entry.content, param)
  if (entry.role !== 'tool') return [...content, ...entry.calls.map(toUse)]
  return [
    {
      type: 'tool_result',
      tool_use_id: toId(entry.callId),
      ...(content.length === 0 ? {} : { content: simplify(content) }),
    },
  ]
}

function toUse({ id, name, arguments: given }: HistoryCall): MessagesBlock {
  const input = given.trim() === '' ? {} : (parseExactObject(given) ?? { raw: given })
  return { type: 'tool_use', id: toId(id), name, input }
}

/** Ids of other formats may hold characters that this one refuses. */
function toId(id: string): string {
  return id.replace(/[^a-zA-Z0-9_-]/g, '_')
}

/** A single text needs no block. */
function simplify<Block extends MessagesBlock | ContentBlock>(blocks: readonly Block[]): string | Block[] {
  const [only] = blocks
  return only?.type === 'text' && blocks.length === 1 ? only.text : [...blocks]
}

/** Results come first: an upstream requires them right after their calls. */
function writeTurn({ role, blocks }: Turn): MessagesMessage {
  const results = blocks.filter(({ type }) => type === 'tool_result')
  return { role, content: simplify([...results, ...blocks.filter(({ type }) => type !== 'tool_result')]) }
}

function toStopSequences(stop: ChatCompletionRequest['stop']): string[] | undefined {
  return dropBlankWords(typeof stop === 'string' ? [stop] : (stop ?? []))
}

/** Upstreams refuse stop words of blanks only. */
export function dropBlankWords(words: readonly string[]): string[] | undefined {
  const kept = words.filter((word) => word.trim() !== '')
  return kept.length > 0 ? kept : undefined
}

function writeTools(use: ToolUse, turns: readonly Turn[]): { tools?: MessagesTool[]; tool_choice?: unknown } {
  if (use.functions.length === 0) return {}
  const tools = use.functions.map(toTool)
  if (use.choice !== 'none') return { tools, tool_choice: toChoice(use) }
  // Calls in the history require their tools.
  return turns.some(({ blocks }) => blocks.some(isToolBlock)) ? { tools, tool_choice: { type: 'none' } } : {}
}

function isToolBlock({ type }: MessagesBlock): boolean {
  return type === 'tool_use' || type === 'tool_result'
}

function toTool({ name, description, parameters }: ChatFunction): MessagesTool {
  return {
    name,
    ...(description == null ? {} : { description }),
    input_schema: parameters ?? { type: 'object', properties: {} },
  }
}

function toChoice({ choice, parallel }: ToolUse): MessagesToolChoice | undefined {
  const alone = parallel === false ? { disable_parallel_tool_use: true } : {}
  if (typeof choice === 'object') return { type: 'tool', name: choice.name, ...alone }
  if (choice === 'required') return { type: 'any', ...alone }
  return choice === 'auto' || parallel === false ? { type: 'auto', ...alone } : undefined
}

/** The thinking option of the messages format, for chat requests that carry it. */
function toThinking(thinking: unknown, turns: readonly Turn[]): unknown {
  if (!isFields(thinking)) return undefined
  const { type } = thinking
  if (type !== 'enabled' && type !== 'adaptive' && type !== 'disabled') return undefined
  // While thinking is on, upstreams refuse calls without their thoughts.
  const last = turns.findLast(({ role }) => role === 'assistant')
  return type !== 'disabled' && last?.blocks.some(({ type: block }) => block === 'tool_use') ? undefined : thinking
}

const EFFORTS = new Set(['low', 'medium', 'high', 'xhigh', 'max'])

function toOutputConfig({ reasoning_effort: effort, response_format: format }: ChatCompletionRequest): unknown {
  const isSchema = typeof format === 'object' && format?.type === 'json_schema'
  const schema = isSchema ? toFields(format.json_schema).schema : undefined
  const config = dropAbsent({
    effort: effort != null && EFFORTS.has(effort) ? effort : undefined,
    format: schema == null ? undefined : { type: 'json_schema', schema },
  })
  return Object.keys(config).length > 0 ? config : undefined
}
