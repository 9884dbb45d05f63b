import type { CallSink } from './call-sink.ts'
import type { Grammar } from './grammar.ts'
import type { ToolCallOptions } from './tool-call.ts'

/** Context for reading a reply. */
export interface ReplyReader {
  readonly options: ToolCallOptions
  readonly grammar: Grammar
  readonly sink: CallSink
}
