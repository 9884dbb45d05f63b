/**
 * Bodies and events of the messages format.
 *
 * @module
 */
export {
  type MessagesBlock,
  type MessagesMessage,
  type MessagesTextBlock,
  messagesBlock,
  messagesMessage,
  messagesResultBlock,
  messagesServerToolResult,
  messagesServerToolUse,
  messagesTextBlock,
} from './blocks.ts'
export { type MessagesErrorReply, messagesErrorReply } from './error.ts'
export { type MessagesDelta, type MessagesEvent, messagesDelta, messagesEvent } from './events.ts'
export { isKnownMessagesBlock } from './known-blocks.ts'
export { type MessagesModel, type MessagesModelList, messagesModel, messagesModelList } from './models.ts'
export {
  type MessagesCountReply,
  type MessagesReply,
  type MessagesReplyBlock,
  type MessagesStopReason,
  type MessagesUsage,
  messagesCountReply,
  messagesReply,
  messagesReplyBlock,
  messagesStopReason,
  messagesUsage,
} from './reply.ts'
export {
  type MessagesCountRequest,
  type MessagesRequest,
  type MessagesTool,
  type MessagesToolChoice,
  type MessagesToolServer,
  type MessagesToolset,
  messagesCountRequest,
  messagesRequest,
  messagesThinking,
  messagesTool,
  messagesToolChoice,
  messagesToolServer,
  messagesToolset,
} from './request.ts'
