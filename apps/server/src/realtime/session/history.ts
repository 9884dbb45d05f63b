import type { StageMessage } from '../ports.ts'
import type { Item, ItemFields, ItemPart } from './conversation.ts'

/** Words of the caller about calls that wait, by the ids of the calls. */
export type Approvals = ReadonlyMap<string, boolean>

/** Writes the latest items as messages of the compatible chat format. @param maxItems 0 = all */
export function toMessages(items: readonly Item[], maxItems = 0): StageMessage[] {
  const latest = maxItems === 0 ? items : items.slice(-maxItems)
  const fields = latest.map((item) => item.fields)
  const answered = new Set(
    fields.flatMap((item) => (item.type === 'function_call_output' ? [String(item.call_id)] : [])),
  )
  const called = new Set(fields.flatMap((item) => (item.type === 'function_call' ? [String(item.call_id)] : [])))
  const messages: StageMessage[] = []
  for (const item of fields) {
    // a template refuses a call without its result, and the other way round
    if (item.type === 'function_call' && !answered.has(String(item.call_id))) continue
    if (item.type === 'function_call_output' && !called.has(String(item.call_id))) continue
    for (const message of toMessage(item)) addMessage(messages, message)
  }
  return messages
}

/** Reads what the caller said about calls that wait. */
export function readApprovals(items: readonly Item[]): Approvals {
  return new Map(
    items.flatMap(({ fields }) =>
      fields.type === 'mcp_approval_response' ? [[String(fields.approval_request_id), fields.approve === true]] : [],
    ),
  )
}

/** Calls of one turn are one message. */
function addMessage(messages: StageMessage[], message: StageMessage): void {
  const last = messages.at(-1)
  if (last?.role === 'assistant' && message.role === 'assistant' && Array.isArray(message.tool_calls)) {
    const calls = Array.isArray(last.tool_calls) ? last.tool_calls : []
    messages[messages.length - 1] = { ...last, tool_calls: [...calls, ...message.tool_calls] }
  } else messages.push(message)
}

function toMessage(item: ItemFields): StageMessage[] {
  switch (item.type) {
    case 'message':
      return toTalk(item)
    case 'function_call':
      return [toCall(String(item.call_id), item)]
    case 'function_call_output':
      return [{ role: 'tool', tool_call_id: item.call_id, content: item.output }]
    case 'mcp_call':
      return [
        toCall(item.id, item),
        { role: 'tool', tool_call_id: item.id, content: item.output ?? showFault(item.error) },
      ]
    case 'mcp_approval_request':
      return [toCall(item.id, item)]
    default:
      return []
  }
}

function toCall(id: unknown, item: ItemFields): StageMessage {
  const call = { id, type: 'function', function: { name: item.name, arguments: item.arguments } }
  return { role: 'assistant', content: '', tool_calls: [call] }
}

function showFault(error: unknown): string {
  const { message } = (error ?? {}) as { readonly message?: unknown }
  return typeof message === 'string' ? message : 'the call failed'
}

/** A message whose speech nobody understood says nothing. */
function toTalk(item: ItemFields): StageMessage[] {
  const parts = item.content as readonly ItemPart[]
  const text = parts
    .map((part) => part.text ?? part.transcript ?? '')
    .filter((words) => words !== '')
    .join('\n')
  const images = parts.flatMap(({ image_url: url }) =>
    url === undefined ? [] : [{ type: 'image_url', image_url: { url } }],
  )
  if (images.length > 0) return [{ role: item.role, content: [{ type: 'text', text }, ...images] }]
  return text === '' ? [] : [{ role: item.role, content: text }]
}
