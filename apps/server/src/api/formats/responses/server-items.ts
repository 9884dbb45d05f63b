import type {
  ResponseOutputFileSearch,
  ResponseOutputItem,
  ResponseOutputServerCall,
  ResponseOutputToolList,
} from '@svc/wire/responses'
import type { ServerToolEvent } from '../../../inference/core/events.ts'
import { newItemId } from './ids.ts'
import type { ItemList, Open, Unnumbered } from './item-list.ts'

/** What a request decides about the items of tools that this server runs. */
export interface ServerItemOptions {
  /** Labels of the servers whose tools are listed. */
  readonly listed: ReadonlySet<string>
  /** Ids of requests of consent that the caller has answered. */
  readonly answered: ReadonlySet<string>
  /** Whether searches in files show their results. */
  readonly showsResults: boolean
}

/** The items of tools that this server runs. */
export interface ServerItems {
  add(event: ServerToolEvent): Unnumbered[]
  /** Ends calls without a result, when the reply breaks off. */
  end(): Unnumbered[]
}

type EventOf<Type extends ServerToolEvent['type']> = Extract<ServerToolEvent, { type: Type }>
type Running = Open<ResponseOutputServerCall> | Open<ResponseOutputFileSearch>

/** Creates the items in a list. */
export function createServerItems(list: ItemList, options: ServerItemOptions): ServerItems {
  const running = new Map<string, Running>()

  function call(event: EventOf<'server-tool-call'>): Unnumbered[] {
    if (event.source === 'file-search') {
      const opened = list.open(toFileSearch(event))
      running.set(event.id, opened)
      return [
        added(opened),
        ...toStates(opened, 'response.file_search_call.in_progress', 'response.file_search_call.searching'),
      ]
    }
    const opened = list.open(toServerCall(event, options))
    opened.text = event.arguments
    running.set(event.id, opened)
    const place = toPlace(opened)
    return [
      added(opened),
      ...toStates(opened, 'response.mcp_call.in_progress'),
      { type: 'response.mcp_call_arguments.delta', ...place, delta: event.arguments },
      { type: 'response.mcp_call_arguments.done', ...place, arguments: event.arguments },
    ]
  }

  function settle(event: EventOf<'server-tool-result'>): Unnumbered[] {
    const opened = running.get(event.id)
    running.delete(event.id)
    if (opened === undefined) return []
    if (isFileSearch(opened)) {
      const results = options.showsResults ? readResults(event.output) : null
      const item = { ...opened.item, status: event.isError ? ('failed' as const) : ('completed' as const), results }
      return [...toStates(opened, 'response.file_search_call.completed'), list.close(opened, item)]
    }
    const { output, isError } = event
    const item: ResponseOutputServerCall = {
      ...opened.item,
      arguments: opened.text,
      status: isError ? 'failed' : 'completed',
      output: isError ? null : output,
      error: isError ? output : null,
    }
    return [
      ...toStates(opened, isError ? 'response.mcp_call.failed' : 'response.mcp_call.completed'),
      list.close(opened, item),
    ]
  }

  return {
    add(event) {
      switch (event.type) {
        case 'server-tools':
          return options.listed.has(event.server) ? listTools(event, list) : []
        case 'server-tool-call':
          return call(event)
        case 'server-tool-result':
          return settle(event)
        case 'server-tool-approval':
          return ask(event, list)
      }
    },
    end() {
      const open = [...running.values()]
      running.clear()
      return open.map((one) =>
        isFileSearch(one)
          ? list.close(one, { ...one.item, status: 'incomplete' })
          : list.close(one, { ...one.item, arguments: one.text, status: 'incomplete' }),
      )
    },
  }
}

function isFileSearch(open: Running): open is Open<ResponseOutputFileSearch> {
  return open.item.type === 'file_search_call'
}

function toServerCall(event: EventOf<'server-tool-call'>, { answered }: ServerItemOptions): ResponseOutputServerCall {
  return {
    type: 'mcp_call',
    id: newItemId('mcp_call'),
    status: 'in_progress',
    server_label: event.server,
    name: event.name,
    arguments: '',
    output: null,
    error: null,
    approval_request_id: answered.has(event.id) ? event.id : null,
  }
}

function toFileSearch({ arguments: args }: EventOf<'server-tool-call'>): ResponseOutputFileSearch {
  return {
    type: 'file_search_call',
    id: newItemId('file_search_call'),
    status: 'in_progress',
    queries: readQueries(args),
    results: null,
  }
}

function readQueries(args: string): string[] {
  try {
    const { queries } = JSON.parse(args) as { readonly queries?: unknown }
    if (Array.isArray(queries)) return queries.filter((query) => typeof query === 'string')
  } catch {
    // answered as a failed search
  }
  return []
}

/** A result that was cut, or is no list, shows nothing. */
function readResults(output: string): ResponseOutputFileSearch['results'] {
  try {
    const results: unknown = JSON.parse(output)
    if (Array.isArray(results)) return results as ResponseOutputFileSearch['results']
  } catch {
    // shown as nothing
  }
  return []
}

function listTools({ server, tools, error }: EventOf<'server-tools'>, list: ItemList): Unnumbered[] {
  const empty: ResponseOutputToolList = {
    type: 'mcp_list_tools',
    id: newItemId('mcp_list_tools'),
    server_label: server,
    tools: [],
    error: null,
  }
  const opened = list.open(empty)
  const listed = tools.map(({ name, description = null, inputSchema, hints }) => ({
    name,
    description,
    input_schema: { ...inputSchema },
    annotations: { read_only: hints.readOnly ?? false },
  }))
  return [
    added(opened),
    ...toStates(opened, 'response.mcp_list_tools.in_progress'),
    ...toStates(opened, error === undefined ? 'response.mcp_list_tools.completed' : 'response.mcp_list_tools.failed'),
    list.close(opened, { ...empty, tools: listed, error: error ?? null }),
  ]
}

function ask({ server, name, arguments: args }: EventOf<'server-tool-approval'>, list: ItemList): Unnumbered[] {
  const item: ResponseOutputItem = {
    type: 'mcp_approval_request',
    id: newItemId('mcp_approval_request'),
    server_label: server,
    name,
    arguments: args,
  }
  const opened = list.open(item)
  return [added(opened), list.close(opened, item)]
}

function added({ index, item }: Open<ResponseOutputItem>): Unnumbered {
  return { type: 'response.output_item.added', output_index: index, item }
}

type StateType = Extract<Unnumbered['type'], `response.${'mcp_list_tools' | 'mcp_call' | 'file_search_call'}.${string}`>

function toStates(opened: Open<ResponseOutputItem>, ...types: readonly StateType[]): Unnumbered[] {
  return types.map((type) => ({ type, ...toPlace(opened) }))
}

function toPlace({ index, item }: Open<ResponseOutputItem>) {
  return { item_id: item.id, output_index: index }
}
