import { SvcError } from '@svc/errors'
import { toStructuredOutput } from '@svc/structured-output'
import {
  isKnownMessagesBlock,
  type MessagesBlock,
  type MessagesCountRequest,
  type MessagesMessage,
  type MessagesRequest,
} from '@svc/wire/messages'
import type { ChatMessage, ChatRequest, GenerationOptions, ToolCall } from '../../../inference/core/request.ts'
import { splitServerTools } from '../../../inference/tools/split-server-tools.ts'
import { readServerFields } from '../server-fields.ts'
import { type ContentReader, createContentReader, isContentBlock, unsupported } from './content.ts'
import { readToolServers } from './tool-servers.ts'
import { toToolRequest } from './tools.ts'

/** Converts a request of the messages format. */
export function messagesToDomain(body: MessagesRequest): ChatRequest {
  return { ...conversationToDomain(body), generation: toGeneration(body), stream: body.stream ?? false }
}

/** Converts the parts of a request that decide its prompt, without those of the reply. */
export function conversationToDomain(asked: MessagesCountRequest): ChatRequest {
  const body = splitServerTools(asked)
  const { thinking, output_config: output, thread } = body
  const metadata = toMetadata(body.metadata)
  const { hosted, ...servers } = readServerFields(metadata, { usual: [], required: false })
  if (thread?.type === 'continue') throw threadNotFound()
  return {
    kind: 'chat',
    messages: [...toSystem(body.system), ...body.messages.flatMap(toMessages)],
    generation: {},
    choices: 1,
    ...toToolRequest(body, { hosted: [...hosted, ...readToolServers(body)] }),
    ...servers,
    structuredOutput: toStructuredOutput(
      { responseFormat: output?.format },
      { responseFormat: 'output_config.format' },
    ),
    reasoningEffort: toEffort(output?.effort),
    thinking: toThinking(thinking?.type),
    metadata,
    stream: false,
  }
}

/** The server keeps no conversations; after this error clients send the whole one. */
function threadNotFound(): SvcError {
  return new SvcError('not_found', 'thread: conversations are not kept here, send the whole of it', {
    code: 'thread_not_found',
    details: { param: 'thread' },
  })
}

function toGeneration(body: MessagesRequest): GenerationOptions {
  return {
    maxTokens: body.max_tokens,
    temperature: body.temperature ?? undefined,
    topP: body.top_p ?? undefined,
    topK: body.top_k ?? undefined,
    stop: body.stop_sequences?.filter((sequence) => sequence !== ''),
  }
}

/** Higher efforts count as the highest that local models know. */
function toEffort(effort: string | null | undefined): string | undefined {
  return effort === 'xhigh' || effort === 'max' ? 'high' : (effort ?? undefined)
}

function toThinking(type: NonNullable<MessagesCountRequest['thinking']>['type'] | undefined): boolean | undefined {
  if (type === 'disabled') return false
  return type === 'enabled' || type === 'adaptive' ? true : undefined
}

/** Templates and backends take only strings. */
function toMetadata(metadata: unknown): Record<string, string> | undefined {
  if (typeof metadata !== 'object' || metadata === null) return undefined
  return Object.fromEntries(
    Object.entries(metadata).filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
  )
}

function toSystem(system: MessagesCountRequest['system']): readonly ChatMessage[] {
  if (system == null || system.length === 0) return []
  if (typeof system === 'string') return [{ role: 'system', content: system }]
  return [
    { role: 'system', content: system.map(({ text }) => text).join(''), media: { images: 0, audio: 0, video: 0 } },
  ]
}

/** Converts a message. Each tool result becomes a message of its own, before the text of the user. */
function toMessages(message: MessagesMessage, index: number): readonly ChatMessage[] {
  const { role, content } = message
  if (typeof content === 'string') return [{ role, content }]
  const param = `messages[${index}].content`
  const { spoken, results, calls, thoughts } = readBlocks(content, { role, param })
  if (results.length > 0 && spoken.isEmpty) return results
  return [
    ...results,
    {
      role,
      ...spoken.content(),
      ...(thoughts.length > 0 ? { reasoning: thoughts.join('\n\n') } : {}),
      ...(calls.length > 0 ? { toolCalls: calls } : {}),
    },
  ]
}

interface ReadBlocks {
  readonly spoken: ContentReader
  readonly results: ChatMessage[]
  readonly calls: ToolCall[]
  readonly thoughts: string[]
}

/** Role that a block requires; blocks not listed may have any role. */
const BELONGS_TO: Partial<Readonly<Record<MessagesBlock['type'], MessagesMessage['role']>>> = {
  tool_result: 'user',
  tool_use: 'assistant',
  thinking: 'assistant',
  redacted_thinking: 'assistant',
}

function readBlocks(
  blocks: Exclude<MessagesMessage['content'], string>,
  { role, param }: { readonly role: MessagesMessage['role']; readonly param: string },
): ReadBlocks {
  const read: ReadBlocks = { spoken: createContentReader(), results: [], calls: [], thoughts: [] }
  for (const [place, block] of blocks.entries()) {
    const at = `${param}[${place}]`
    if (!isKnownMessagesBlock(block)) throw unsupported(at, 'blocks of this type are not known')
    const owner = BELONGS_TO[block.type] ?? role
    if (owner !== role) throw unsupported(at, `${block.type} blocks belong to messages of the role ${owner}`)
    addBlock(read, block, at)
  }
  return read
}

function addBlock({ spoken, results, calls, thoughts }: ReadBlocks, block: MessagesBlock, param: string): void {
  switch (block.type) {
    case 'text':
    case 'image':
    case 'document':
      spoken.add(block, param)
      break
    case 'tool_use':
      calls.push({ id: block.id, name: block.name, arguments: JSON.stringify(block.input) })
      break
    case 'tool_result':
      results.push({ role: 'tool', toolCallId: block.tool_use_id, ...toResultContent(block, param) })
      break
    case 'thinking':
      if (block.thinking !== '') thoughts.push(block.thinking)
      break
    case 'redacted_thinking':
      // The server cannot read it.
      break
  }
}

function toResultContent(
  { content }: Extract<MessagesBlock, { type: 'tool_result' }>,
  param: string,
): ReturnType<ContentReader['content']> {
  if (content == null || typeof content === 'string') return { content: content ?? '' }
  const reader = createContentReader()
  for (const [place, block] of content.entries()) {
    const at = `${param}.content[${place}]`
    if (!isKnownMessagesBlock(block) || !isContentBlock(block)) {
      throw unsupported(at, 'blocks of this type are not known')
    }
    reader.add(block, at)
  }
  return reader.content()
}
