import type { ResponseInputItem } from '@svc/wire/responses'
import type { ChatMessage, ToolCall } from '../../../inference/core/request.ts'

type Item<T extends string> = Extract<ResponseInputItem, { readonly type: T }>

/** What an item of a tool that this server ran adds to the turn of the assistant. */
export interface ServedStep {
  readonly call?: ToolCall | undefined
  /** The message with the result. */
  readonly result?: ChatMessage | undefined
}

/** Reads items of tools that this server ran in earlier turns. */
export interface ServedItems {
  /** Undefined for any other item. */
  read(item: ResponseInputItem): ServedStep | undefined
}

/** Name of the tool that searches in files. */
const FILE_SEARCH = 'file_search'

/** Creates a reader. A call that waited for consent stands where it was asked for, with the result of the later call. */
export function readServedItems(items: readonly ResponseInputItem[]): ServedItems {
  const later = new Map<string, Item<'mcp_call'>>()
  const asked = new Set<string>()
  for (const item of items) {
    if (item.type === 'mcp_approval_request') asked.add(item.id)
    if (item.type === 'mcp_call' && item.approval_request_id != null) later.set(item.approval_request_id, item)
  }
  return {
    read(item) {
      switch (item.type) {
        case 'mcp_list_tools':
        case 'mcp_approval_response':
          return {}
        case 'mcp_approval_request': {
          const { id, name, arguments: args } = item
          const run = later.get(id)
          return { call: { id, name, arguments: args }, result: run && toResult(run, id) }
        }
        case 'mcp_call': {
          const { id, name, arguments: args, approval_request_id: request } = item
          if (request != null && asked.has(request)) return {}
          return { call: { id, name, arguments: args }, result: toResult(item, id) }
        }
        case 'file_search_call':
          return readSearch(item)
        default:
          return undefined
      }
    },
  }
}

/** A search whose results are not shown says nothing. */
function readSearch({ id, queries, results }: Item<'file_search_call'>): ServedStep {
  if (results == null) return {}
  return {
    call: { id, name: FILE_SEARCH, arguments: JSON.stringify({ queries }) },
    result: { role: 'tool', name: FILE_SEARCH, toolCallId: id, content: JSON.stringify(results) },
  }
}

function toResult({ name, output, error }: Item<'mcp_call'>, id: string): ChatMessage {
  return { role: 'tool', name, toolCallId: id, content: output ?? toReason(error) }
}

function toReason(error: unknown): string {
  if (error === null || error === undefined) return 'Error: the call has no result'
  return typeof error === 'string' ? error : `Error: ${JSON.stringify(error)}`
}
