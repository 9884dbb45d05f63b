import { newId } from './ids.ts'
import type { ItemWriter } from './item-writer.ts'
import type { ItemEnd } from './output-message.ts'

/** A call of a function of the client that grows. */
export interface OutputCall {
  /** Waits while the client is behind. */
  arguments(delta: string): Promise<void>
  end(end: ItemEnd): void
}

/** A call of a tool that this server runs. */
export interface OutputServerCall {
  end(result: { readonly output: string; readonly isError: boolean }): void
}

/** Begins a call of a function of the client. */
export function openCall(
  writer: ItemWriter,
  { callId, name }: { readonly callId: string; readonly name: string },
): OutputCall {
  const fields = { type: 'function_call', status: 'in_progress', call_id: callId, name, arguments: '' }
  const begun = writer.begin(fields)
  let text = ''

  function end(status: ItemEnd): void {
    if (!writer.isOpen(begun.item)) return
    const done = { type: 'response.function_call_arguments.done', ...begun.place }
    writer.tell({ ...done, call_id: callId, name, arguments: text })
    writer.finish(begun, { status, arguments: text })
  }
  writer.keepOpen(begun.item, () => end('incomplete'))
  return {
    arguments(delta) {
      text += delta
      const type = 'response.function_call_arguments.delta'
      return writer.send({ type, ...begun.place, call_id: callId, delta })
    },
    end,
  }
}

/** The call of a tool that this server runs, as the model has made it. */
export interface ServerCall {
  readonly id: string
  readonly server: string
  readonly tool: string
  readonly arguments: string
  /** Whether the caller has agreed to it. */
  readonly isAgreed: boolean
}

/** Begins a call of a tool that this server runs. */
export function openServerCall(writer: ItemWriter, call: ServerCall): OutputServerCall {
  const { id, server, tool, arguments: args, isAgreed } = call
  const fields = { type: 'mcp_call', server_label: server, name: tool, arguments: args, output: null, error: null }
  const begun = writer.begin({ ...fields, approval_request_id: isAgreed ? id : null }, newId('mcp'))
  const { item_id, output_index } = begun.place

  function end({ output, isError }: { readonly output: string; readonly isError: boolean }): void {
    if (!writer.isOpen(begun.item)) return
    const type = isError ? 'response.mcp_call.failed' : 'response.mcp_call.completed'
    writer.tell({ type, item_id, output_index })
    const error = isError ? { type: 'tool_execution_error', message: output } : null
    writer.finish(begun, { output: isError ? null : output, error })
  }
  writer.tell({ type: 'response.mcp_call_arguments.delta', ...begun.place, delta: args })
  writer.tell({ type: 'response.mcp_call_arguments.done', ...begun.place, arguments: args })
  writer.tell({ type: 'response.mcp_call.in_progress', item_id, output_index })
  writer.keepOpen(begun.item, () => end({ output: 'the call was cut off', isError: true }))
  return { end }
}
