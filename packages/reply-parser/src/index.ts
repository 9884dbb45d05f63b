/**
 * Reads a model's text: separates reasoning, tool calls and the answer while the text arrives.
 *
 * @module
 */
export { endWithoutBlanks, skipBlanks } from './reasoning/blanks.ts'
export {
  createReasoningCleaner,
  createReasoningSplitter,
  type ReasoningCleaner,
  type ReasoningDelta,
  type ReasoningSplitter,
  type ReplyStart,
} from './reasoning/reasoning-splitter.ts'
export { type SplitOptions, splitReasoning } from './reasoning/split-reasoning.ts'
export { BUILT_IN_TAG_PAIRS, findPrefilledToken, type TagPair } from './reasoning/tag-pairs.ts'
export type { ReasoningSettings, Replacement, ToolCallSettings, XmlFormat } from './settings.ts'
export { type ChatDelta, type CollectedReply, collectChatDeltas } from './tool-calls/chat-deltas.ts'
export { toKnownTools } from './tool-calls/known-tools.ts'
export { type ParsedReply, parseToolCalls } from './tool-calls/parse-tool-calls.ts'
export {
  type KnownTool,
  type ParsedToolCall,
  type ToolCallEvent,
  type ToolCallOptions,
  toCalls,
} from './tool-calls/tool-call.ts'
export { createToolCallStream, type ToolCallStream } from './tool-calls/tool-call-stream.ts'
export { NO_MARKERS, type ToolFormatMarkers } from './tool-calls/tool-format-markers.ts'
