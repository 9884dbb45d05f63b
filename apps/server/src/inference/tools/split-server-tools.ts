import { SvcError } from '@svc/errors'
import {
  type MessagesMessage,
  type MessagesRequest,
  messagesServerToolResult,
  messagesServerToolUse,
} from '@svc/wire/messages'

type Block = Exclude<MessagesMessage['content'], string>[number]

/**
 * Turns calls of tools that this server ran in earlier replies into calls with results in messages of their own, as
 * models know them.
 *
 * @throws {SvcError} `invalid_request` for a block of a wrong form
 */
export function splitServerTools<Request extends Pick<MessagesRequest, 'messages'>>(request: Request): Request {
  if (!request.messages.some(holdsServerTools)) return request
  return { ...request, messages: request.messages.flatMap(splitMessage) }
}

function holdsServerTools({ role, content }: MessagesMessage): boolean {
  return role === 'assistant' && typeof content !== 'string' && content.some(isServerTool)
}

function isServerTool({ type }: Block): boolean {
  return type === 'mcp_tool_use' || type === 'mcp_tool_result'
}

function splitMessage(message: MessagesMessage, index: number): readonly MessagesMessage[] {
  if (!holdsServerTools(message) || typeof message.content === 'string') return [message]
  const messages: { role: 'assistant' | 'user'; content: Block[] }[] = []
  for (const [place, block] of message.content.entries()) {
    const role = block.type === 'mcp_tool_result' ? 'user' : 'assistant'
    const converted = toOwnBlock(block, `messages[${index}].content[${place}]`)
    const last = messages.at(-1)
    if (last?.role === role) last.content.push(converted)
    else messages.push({ role, content: [converted] })
  }
  return messages
}

function toOwnBlock(block: Block, param: string): Block {
  if (block.type === 'mcp_tool_use') {
    const read = messagesServerToolUse.safeParse(block)
    if (!read.success) throw malformed(param)
    const { id, name, input } = read.data
    return { type: 'tool_use', id, name, input }
  }
  if (block.type !== 'mcp_tool_result') return block
  const read = messagesServerToolResult.safeParse(block)
  if (!read.success) throw malformed(param)
  const { tool_use_id, content, is_error } = read.data
  return { type: 'tool_result', tool_use_id, content, ...(is_error == null ? {} : { is_error }) }
}

function malformed(param: string): SvcError {
  return new SvcError('invalid_request', `${param}: this block has fields of a wrong form`, {
    code: 'invalid_tools',
    details: { param },
  })
}
