import { SvcError } from '@svc/errors'
import type { ResponseContentPart, ResponseInputItem } from '@svc/wire'
import type { ChatMessage, ToolCall } from '../../inference/request.ts'

type Item<T extends string> = Extract<ResponseInputItem, { readonly type: T }>
type InputMessage = Extract<ResponseInputItem, { readonly content: string | ResponseContentPart[] }>

/** An assistant's turn while its items are gathered. */
interface Turn {
  content: string
  reasoning: string
  isParts: boolean
  readonly calls: ToolCall[]
}

/**
 * Items as messages: neighbouring items of the assistant become one message.
 *
 * @throws {SvcError} `invalid_request` for what no model here takes
 */
export function itemsToMessages(items: readonly ResponseInputItem[]): ChatMessage[] {
  const messages: ChatMessage[] = []
  let turn: Turn | undefined
  const begin = (): Turn => {
    turn ??= { content: '', reasoning: '', isParts: false, calls: [] }
    return turn
  }
  const end = (): void => {
    if (turn !== undefined) messages.push(toAssistant(turn))
    turn = undefined
  }
  for (const [index, item] of items.entries()) {
    if (addToTurn(item, index, begin)) continue
    end()
    messages.push(toMessage(item, index))
  }
  end()
  return messages
}

/** Whether the item was one of the assistant's turn. */
function addToTurn(item: ResponseInputItem, index: number, begin: () => Turn): boolean {
  if (isReasoning(item)) {
    begin().reasoning += thoughtsOf(item)
    return true
  }
  if (isCall(item)) {
    begin().calls.push({ id: item.call_id, name: item.name, arguments: item.arguments })
    return true
  }
  if (!isMessage(item) || item.role !== 'assistant') return false
  const turn = begin()
  turn.content += toText(item.content, `input[${index}].content`)
  turn.isParts ||= Array.isArray(item.content)
  return true
}

function toMessage(item: ResponseInputItem, index: number): ChatMessage {
  if (isCallOutput(item)) {
    const content = toText(item.output, `input[${index}].output`)
    return { role: 'tool', content, toolCallId: item.call_id, media: mediaOf(item.output) }
  }
  if (!isMessage(item)) {
    throw new SvcError('internal', 'an item reference was not followed', { code: 'item_reference' })
  }
  const role = item.role === 'user' ? 'user' : 'system'
  return { role, content: toText(item.content, `input[${index}].content`), media: mediaOf(item.content) }
}

function toAssistant({ content, reasoning, isParts, calls }: Turn): ChatMessage {
  return {
    role: 'assistant',
    content,
    reasoning: reasoning === '' ? undefined : reasoning,
    toolCalls: calls.length > 0 ? calls : undefined,
    media: isParts ? { images: 0, audio: 0, video: 0 } : undefined,
  }
}

function mediaOf(content: InputMessage['content']): ChatMessage['media'] {
  return Array.isArray(content) ? { images: 0, audio: 0, video: 0 } : undefined
}

function isMessage(item: ResponseInputItem): item is InputMessage {
  return 'role' in item && item.role !== undefined
}

function isReasoning(item: ResponseInputItem): item is Item<'reasoning'> {
  return item.type === 'reasoning'
}

function isCall(item: ResponseInputItem): item is Item<'function_call'> {
  return item.type === 'function_call'
}

function isCallOutput(item: ResponseInputItem): item is Item<'function_call_output'> {
  return item.type === 'function_call_output'
}

/** The thoughts themselves, or what stands for them. */
function thoughtsOf({ content, summary }: Item<'reasoning'>): string {
  const parts = content != null && content.length > 0 ? content : (summary ?? [])
  return parts.map(({ text }) => text).join('\n')
}

/** The text parts of a content, concatenated; media need a model that takes them. */
function toText(content: InputMessage['content'], path: string): string {
  if (typeof content === 'string') return content
  return content
    .map((part, place) => {
      if (part.type === 'refusal') return part.refusal
      if ('text' in part && typeof part.text === 'string') return part.text
      throw new SvcError('invalid_request', 'this model takes text only', {
        code: 'unsupported_field',
        details: { param: `${path}[${place}]` },
      })
    })
    .join('')
}
