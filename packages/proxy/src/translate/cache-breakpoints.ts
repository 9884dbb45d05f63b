import type { MessagesBlock, MessagesMessage, MessagesRequest } from '@svc/wire/messages'
import { isFields } from '../fields.ts'

const EPHEMERAL = { cache_control: { type: 'ephemeral' } } as const

/**
 * Marks cache breakpoints in a request of the messages format, so that the upstream may keep the prompt (§6.5): at the
 * end of the system text, at the last tool and at the last block of the last message. At most three; a missing part
 * gets no mark. A request with marks of its client stays as it is: upstreams take four.
 */
export function addCacheBreakpoints(request: MessagesRequest): MessagesRequest {
  const { system, tools, messages } = request
  if (hasMarks(request)) return request
  return {
    ...request,
    ...(system == null ? {} : { system: markSystem(system) }),
    ...(tools == null ? {} : { tools: markLast(tools, (tool) => ({ ...tool, ...EPHEMERAL })) }),
    messages: markLast(messages, markMessage),
  }
}

function hasMarks({ system, tools, messages }: MessagesRequest): boolean {
  const marked = (list: unknown): boolean =>
    Array.isArray(list) && list.some((item) => isFields(item) && (item.cache_control != null || marked(item.content)))
  return marked(system) || marked(tools) || marked(messages)
}

function markSystem(system: NonNullable<MessagesRequest['system']>): NonNullable<MessagesRequest['system']> {
  if (system === '') return system
  const blocks = typeof system === 'string' ? [{ type: 'text' as const, text: system }] : system
  return markLast(blocks, (block) => (block.text === '' ? block : { ...block, ...EPHEMERAL }))
}

function markMessage({ content, ...rest }: MessagesMessage): MessagesMessage {
  if (content === '') return { ...rest, content }
  const blocks: MessagesBlockOfAnyType[] = typeof content === 'string' ? [{ type: 'text', text: content }] : content
  return { ...rest, content: markLast(blocks, (block) => (canBeMarked(block) ? { ...block, ...EPHEMERAL } : block)) }
}

type MessagesBlockOfAnyType = Exclude<MessagesMessage['content'], string>[number]

/** Upstreams refuse marks on empty texts and on thoughts. */
function canBeMarked(block: MessagesBlockOfAnyType): boolean {
  if (block.type === 'text') return (block as Extract<MessagesBlock, { type: 'text' }>).text !== ''
  return block.type !== 'thinking' && block.type !== 'redacted_thinking'
}

function markLast<Item>(items: readonly Item[], mark: (item: Item) => Item): Item[] {
  return items.map((item, index) => (index === items.length - 1 ? mark(item) : item))
}
