import type { ServerEvent } from '../ports.ts'
import { type Conversation, createItem } from './conversation.ts'
import { newId } from './ids.ts'

/** Tells of the tools of a server, once in a conversation. */
export function listServerTools(
  conversation: Conversation,
  {
    server,
    tools,
    error,
  }: {
    readonly server: string
    readonly tools: readonly {
      readonly name: string
      readonly description?: string | undefined
      readonly inputSchema: unknown
    }[]
    readonly error?: string | undefined
  },
  emit: (event: ServerEvent) => Promise<void>,
): void {
  const isListed = conversation.items.some(
    ({ fields }) => fields.type === 'mcp_list_tools' && fields.server_label === server,
  )
  if (isListed) return
  const listed = tools.map(({ name, description, inputSchema }) => ({
    name,
    description: description ?? null,
    input_schema: inputSchema,
    annotations: null,
  }))
  const item = createItem({ type: 'mcp_list_tools', server_label: server, tools: [] }, newId('mcpl'))
  const previous = conversation.append(item)
  void emit({ type: 'conversation.item.added', previous_item_id: previous, item: item.fields })
  void emit({ type: 'mcp_list_tools.in_progress', item_id: item.id })
  item.fields = { ...item.fields, tools: listed }
  conversation.resize(item)
  void emit({ type: error === undefined ? 'mcp_list_tools.completed' : 'mcp_list_tools.failed', item_id: item.id })
  void emit({ type: 'conversation.item.done', previous_item_id: previous, item: item.fields })
}
