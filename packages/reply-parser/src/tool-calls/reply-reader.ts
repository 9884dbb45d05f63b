import type { CallSink } from './call-sink.ts'
import type { Grammar } from './grammar.ts'
import type { ToolCallOptions } from './tool-call.ts'

/** What reading a reply needs beside its text. */
export interface ReplyReader {
  readonly options: ToolCallOptions
  readonly grammar: Grammar
  readonly sink: CallSink
}
