import { listDecided, listParts, usesTools } from './tool-calls.ts'
import type { ChatSettings, Message, ToolCall } from './types.ts'

/** A message of a request in the compatible format, without the message of the system. */
type WireMessage = Readonly<Record<string, unknown>>

/**
 * The messages that an answer stands for, its calls of tools included. Calls without an answer are left out, but for
 * those that the reader has decided about.
 */
export function toAnswerMessages(message: Message): readonly WireMessage[] {
  const messages: WireMessage[] = []
  let before = ''
  for (const part of listParts(message)) {
    if (part.kind === 'text') {
      if (before !== '') messages.push({ role: 'assistant', content: before })
      before = part.text.trim()
      continue
    }
    const known = part.calls.filter(isKnown)
    if (known.length === 0) continue
    messages.push({ role: 'assistant', content: before === '' ? null : before, tool_calls: known.map(toWireCall) })
    messages.push(...known.flatMap(toResult))
    before = ''
  }
  if (before !== '') messages.push({ role: 'assistant', content: before })
  return messages
}

/** A call that the server can know: it has run, or the reader has decided about it. */
function isKnown({ server, result, consent }: ToolCall): boolean {
  return server !== undefined && (result !== undefined || consent === 'allowed' || consent === 'declined')
}

function toWireCall({ id, name, arguments: text }: ToolCall): WireMessage {
  return { id, type: 'function', function: { name, arguments: text } }
}

function toResult({ id, result }: ToolCall): readonly WireMessage[] {
  return result === undefined ? [] : [{ role: 'tool', tool_call_id: id, content: result }]
}

/** The keys of `metadata` that switch on tools, with the decisions of the reader about calls. */
export function toToolMetadata(settings: ChatSettings, last: Message | undefined): Readonly<Record<string, string>> {
  const decided = last?.role === 'assistant' ? listDecided(last) : []
  if (!usesTools(settings)) return {}
  const { toolServers = [], isAssistant = false } = settings
  const approvals = Object.fromEntries(decided.map(({ id, consent }) => [id, consent === 'allowed']))
  return {
    ...(toolServers.length > 0 && { mcp_servers: toolServers.join(',') }),
    ...(isAssistant && { localai_assistant: 'true' }),
    ...(decided.length > 0 && { mcp_approvals: JSON.stringify(approvals) }),
  }
}
