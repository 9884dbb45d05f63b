import type { ChatAnyTool, ChatTool } from './chat-tools.ts'

/** Whether a tool is a function of the caller. */
export function isFunctionTool(tool: ChatAnyTool): tool is ChatTool {
  return tool.type === 'function'
}
