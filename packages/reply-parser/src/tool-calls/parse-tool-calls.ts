import { type ParsedToolCall, type ToolCallOptions, toCalls } from './tool-call.ts'
import { createToolCallStream } from './tool-call-stream.ts'

/** The parts of a complete reply. */
export interface ParsedReply {
  readonly calls: readonly ParsedToolCall[]
  /** The text outside of the calls, without markers and fences. */
  readonly content: string
}

/**
 * Finds the tool calls in a complete reply; the result joins the events of `createToolCallStream`.
 *
 * @example
 * parseToolCalls('<tool_call>{"name": "ping", "arguments": {}}</tool_call>', { settings: {} })
 * // { calls: [{ name: 'ping', arguments: '{}' }], content: '' }
 */
export function parseToolCalls(reply: string, options: ToolCallOptions): ParsedReply {
  const stream = createToolCallStream(options)
  const events = [...stream.push(reply), ...stream.end()]
  const texts = events.map((event) => (event.type === 'text' ? event.text : ''))
  return { calls: toCalls(events), content: texts.join('') }
}
