import type { ServerEvent } from '../ports.ts'
import { type Conversation, createItem, type Item, type ItemFields } from './conversation.ts'
import { newId } from './ids.ts'

/** State of an item that ends. */
export type ItemEnd = 'completed' | 'incomplete'

/** Items of a response while they are made. Every item that begins also ends, at the latest with {@link Output.end}. */
export interface Output {
  /** The items of `response.done`. */
  readonly items: readonly ItemFields[]
  /** Begins a message, with its only part of content. */
  openMessage(kind: 'text' | 'audio'): OutputMessage
  /** Begins a call of a function of the client. */
  openCall(call: { readonly callId: string; readonly name: string }): OutputCall
  /** Begins a call of a tool that this server runs. */
  openServerCall(call: { readonly id: string; readonly server: string; readonly tool: string; readonly arguments: string; readonly isAgreed: boolean }): OutputServerCall
  /** Adds an item that is whole at once. */
  add(fields: ItemFields, id?: string): void
  /** Ends the items that are not whole. */
  end(): void
}

/** A message that grows. */
export interface OutputMessage {
  readonly item: Item
  readonly outputIndex: number
  text(delta: string): void
  /** Writes speech, base64. */
  audio(delta: string): Promise<void>
  end(end: ItemEnd): void
}

/** A call of a function that grows. */
export interface OutputCall {
  arguments(delta: string): void
  end(end: ItemEnd): void
}

/** A call of a tool that this server runs. */
export interface OutputServerCall {
  end(result: { readonly output: string; readonly isError: boolean } | undefined): void
}

/** Parts of {@link createOutput}. */
export interface OutputParts {
  readonly responseId: string
  readonly emit: (event: ServerEvent) => Promise<void>
  /** Absent for a response beside the conversation. */
  readonly conversation: Conversation | undefined
}

/** Creates the output of a response. */
export function createOutput({ responseId, emit, conversation }: OutputParts): Output {
  const items: Item[] = []
  const open = new Map<Item, () => void>()

  const tell = (event: ServerEvent): void => void emit(event)
  const ofResponse = { response_id: responseId }

  function begin(fields: ItemFields, id?: string) {
    const item = createItem(fields, id)
    const outputIndex = items.push(item) - 1
    tell({ type: 'response.output_item.added', ...ofResponse, output_index: outputIndex, item: item.fields })
    if (conversation !== undefined) {
      const previous = conversation.append(item)
      tell({ type: 'conversation.item.added', previous_item_id: previous, item: item.fields })
    }
    return { item, outputIndex, place: { ...ofResponse, item_id: item.id, output_index: outputIndex } }
  }
  function finish(item: Item, outputIndex: number, changes: Record<string, unknown>): void {
    open.delete(item)
    item.fields = { ...item.fields, ...changes }
    if (conversation !== undefined) {
      conversation.resize(item)
      const at = conversation.items.indexOf(item)
      const previous = conversation.items[at - 1]?.id ?? null
      tell({ type: 'conversation.item.done', previous_item_id: previous, item: item.fields })
    }
    tell({ type: 'response.output_item.done', ...ofResponse, output_index: outputIndex, item: item.fields })
  }

  return {
    get items() {
      return items.map(({ fields }) => fields)
    },
    openMessage(kind) {
      const { item, outputIndex, place: ofItem } = begin({
        type: 'message',
        status: 'in_progress',
        role: 'assistant',
        content: [],
      })
      const place = { ...ofItem, content_index: 0 }
      const isAudio = kind === 'audio'
      let text = ''
      tell({
        type: 'response.content_part.added',
        ...place,
        part: isAudio ? { type: 'audio', transcript: '' } : { type: 'text', text: '' },
      })
      const message: OutputMessage = {
        item,
        outputIndex,
        text(delta) {
          text += delta
          tell({ type: isAudio ? 'response.output_audio_transcript.delta' : 'response.output_text.delta', ...place, delta })
        },
        audio: (delta) => emit({ type: 'response.output_audio.delta', ...place, delta }),
        end(status) {
          if (!open.has(item)) return
          if (isAudio) {
            tell({ type: 'response.output_audio.done', ...place })
            tell({ type: 'response.output_audio_transcript.done', ...place, transcript: text })
          } else tell({ type: 'response.output_text.done', ...place, text })
          const part = isAudio ? { type: 'audio', transcript: text } : { type: 'text', text }
          tell({ type: 'response.content_part.done', ...place, part })
          finish(item, outputIndex, {
            status,
            content: [isAudio ? { type: 'output_audio', transcript: text } : { type: 'output_text', text }],
          })
        },
      }
      open.set(item, () => message.end('incomplete'))
      return message
    },
    openCall({ callId, name }) {
      const { item, outputIndex, place } = begin({
        type: 'function_call',
        status: 'in_progress',
        call_id: callId,
        name,
        arguments: '',
      })
      let text = ''
      const call: OutputCall = {
        arguments(delta) {
          text += delta
          tell({ type: 'response.function_call_arguments.delta', ...place, call_id: callId, delta })
        },
        end(status) {
          if (!open.has(item)) return
          tell({ type: 'response.function_call_arguments.done', ...place, call_id: callId, name, arguments: text })
          finish(item, outputIndex, { status, arguments: text })
        },
      }
      open.set(item, () => call.end('incomplete'))
      return call
    },
    openServerCall({ id, server, tool, arguments: args, isAgreed }) {
      const { item, outputIndex, place } = begin({
        type: 'mcp_call',
        server_label: server,
        name: tool,
        arguments: args,
        output: null,
        error: null,
        approval_request_id: isAgreed ? id : null,
      })
      const { response_id: _response, ...state } = place
      tell({ type: 'response.mcp_call_arguments.delta', ...place, delta: args })
      tell({ type: 'response.mcp_call_arguments.done', ...place, arguments: args })
      tell({ type: 'response.mcp_call.in_progress', ...state })
      const call: OutputServerCall = {
        end(result) {
          if (!open.has(item)) return
          const { output, isError } = result ?? { output: 'the call was cut off', isError: true }
          tell({ type: isError ? 'response.mcp_call.failed' : 'response.mcp_call.completed', ...state })
          const error = isError ? { type: 'tool_execution_error', message: output } : null
          finish(item, outputIndex, { output: isError ? null : output, error })
        },
      }
      open.set(item, () => call.end(undefined))
      return call
    },
    add(fields, id) {
      const { item, outputIndex } = begin(fields, id)
      finish(item, outputIndex, {})
    },
    end() {
      for (const close of [...open.values()]) close()
    },
  }
}

/** Tells of the tools of a server, once in a conversation. */
export function listServerTools(
  conversation: Conversation,
  { server, tools, error }: {
    readonly server: string
    readonly tools: readonly { readonly name: string; readonly description?: string | undefined; readonly inputSchema: unknown }[]
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
