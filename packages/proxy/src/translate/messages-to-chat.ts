import { SvcError } from '@svc/errors'
import {
  isKnownMessagesBlock,
  type MessagesBlock,
  type MessagesMessage,
  type MessagesRequest,
  type MessagesTool,
  type MessagesToolChoice,
  type MessagesToolset,
} from '@svc/wire/messages'
import type { ChatCompletionRequest, ChatRequestMessage } from '@svc/wire/openai'
import { dropAbsent } from '../fields.ts'
import { holdsMedia, joinContentText } from './content-text.ts'

type ContentPart = Exclude<NonNullable<ChatRequestMessage['content']>, string>[number]
type Source = Extract<MessagesBlock, { type: 'image' }>['source']
type AnyBlock = Exclude<MessagesMessage['content'], string>[number]

/**
 * Converts a request of the messages format to a chat request: each result of a tool is a message of its own, uses of
 * tools are calls, thoughts are reasoning. The thinking option keeps its name.
 *
 * @throws {SvcError} `invalid_request`, code `unsupported_field`, for blocks that the chat format cannot express
 */
export function messagesToChat(request: MessagesRequest): ChatCompletionRequest {
  const { system, messages, tools, tool_choice: choice, output_config: output } = request
  const parallel = choice != null && choice.type !== 'none' ? choice.disable_parallel_tool_use : undefined
  const format = output?.format
  return {
    ...dropAbsent({
      model: request.model,
      max_completion_tokens: request.max_tokens,
      stop: request.stop_sequences,
      temperature: request.temperature,
      top_p: request.top_p,
      top_k: request.top_k,
      stream: request.stream,
      tools: tools?.map(toTool),
      tool_choice: choice == null ? undefined : toChoice(choice),
      parallel_tool_calls: parallel == null ? undefined : !parallel,
      reasoning_effort: output?.effort,
      response_format:
        format?.type === 'json_schema' ? { type: 'json_schema', json_schema: { schema: format.schema } } : undefined,
      thinking: request.thinking,
    }),
    messages: [...toSystem(system), ...messages.flatMap(toMessages)],
  }
}

function toSystem(system: MessagesRequest['system']): ChatRequestMessage[] {
  const text = typeof system === 'string' ? system : (system ?? []).map((block) => block.text).join('\n\n')
  return text === '' ? [] : [{ role: 'system', content: text }]
}

function toTool(tool: MessagesTool | MessagesToolset, index: number): unknown {
  if (tool.type != null && tool.type !== 'custom') throw unsupported(`tools[${index}].type`)
  const { name, description, input_schema: parameters } = tool
  return { type: 'function', function: { name, ...dropAbsent({ description, parameters }) } }
}

function toChoice(choice: MessagesToolChoice): unknown {
  if (choice.type === 'tool') return { type: 'function', function: { name: choice.name } }
  return choice.type === 'any' ? 'required' : choice.type
}

function toMessages({ role, content }: MessagesMessage, index: number): ChatRequestMessage[] {
  if (typeof content === 'string') return [{ role, content }]
  const results: ChatRequestMessage[] = []
  const parts: ContentPart[] = []
  const calls: NonNullable<ChatRequestMessage['tool_calls']> = []
  const thoughts: string[] = []
  for (const [place, block] of content.entries()) {
    const param = `messages[${index}].content[${place}]`
    if (!isKnownMessagesBlock(block)) throw unsupported(param)
    if (block.type === 'tool_result') results.push(toResult(block, param))
    else if (block.type === 'tool_use') calls.push(toCall(block))
    else if (block.type === 'thinking') thoughts.push(block.thinking)
    else if (block.type !== 'redacted_thinking') parts.push(toPart(block, param))
  }
  if (parts.length + calls.length + thoughts.length === 0 && results.length > 0) return results
  return [
    ...results,
    {
      role,
      content: simplify(parts),
      ...(thoughts.length > 0 ? { reasoning: thoughts.join('\n\n') } : {}),
      ...(calls.length > 0 ? { tool_calls: calls } : {}),
    },
  ]
}

function toCall({ id, name, input }: Extract<MessagesBlock, { type: 'tool_use' }>) {
  return { id, type: 'function' as const, function: { name, arguments: JSON.stringify(input) } }
}

function toResult(block: Extract<MessagesBlock, { type: 'tool_result' }>, param: string): ChatRequestMessage {
  const { content } = block
  const parts = Array.isArray(content)
    ? content.map((item: AnyBlock, place) => {
        const at = `${param}.content[${place}]`
        if (!isKnownMessagesBlock(item)) throw unsupported(at)
        return toPart(item, at)
      })
    : []
  return {
    role: 'tool',
    tool_call_id: block.tool_use_id,
    content: typeof content === 'string' ? content : simplify(parts),
  }
}

function toPart(block: MessagesBlock, param: string): ContentPart {
  if (block.type === 'text') return { type: 'text', text: block.text }
  if (block.type === 'image') return { type: 'image_url', image_url: { url: toUrl(block.source, param) } }
  if (block.type !== 'document') throw unsupported(param)
  const { source, title } = block
  if (source.type === 'text') return { type: 'text', text: source.data }
  const file = { file_data: toUrl(source, param), ...(title == null ? {} : { filename: title }) }
  return { type: 'file', file }
}

function toUrl(source: Source, param: string): string {
  if (source.type === 'base64') return `data:${source.media_type};base64,${source.data}`
  if (source.type === 'url') return source.url
  throw unsupported(`${param}.source`)
}

/** Joins content without media to one text: it needs no parts, and many upstreams take no lists of texts. */
function simplify(parts: ContentPart[]): ChatRequestMessage['content'] {
  return holdsMedia(parts) ? parts : joinContentText(parts)
}

function unsupported(param: string): SvcError {
  return new SvcError('invalid_request', `${param}: cannot be said in the chat format`, {
    code: 'unsupported_field',
    details: { param },
  })
}
