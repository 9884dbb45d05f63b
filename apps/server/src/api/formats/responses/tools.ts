import type { ChatTool } from '@svc/wire/openai'
import type { ResponseRequest, ResponseTool, ResponseToolChoice } from '@svc/wire/responses'
import { keepOwnTools } from '../hosted-tools.ts'
import { type ToolRequest, toToolRequest } from '../openai/chat/tools.ts'

/** Whether a tool is a function, the only type that a local model can call. */
function isFunction(tool: ResponseTool): tool is Extract<ResponseTool, { readonly name: string }> {
  return tool.type === 'function'
}

/** Converts the tools of a request to the compatible format; other types than functions reach no model. */
export function toResponseTools(body: ResponseRequest): ToolRequest {
  const { own, warnings } = keepOwnTools(body.tools ?? [], isFunction)
  const functions = own.map(toChatTool)
  const choice = body.tool_choice ?? undefined
  if (typeof choice === 'object' && choice.type === 'allowed_tools') {
    const allowed = listNames(choice)
    const tools = toToolRequest({
      messages: [],
      tools: functions.filter(({ function: { name } }) => allowed.has(name)),
      tool_choice: choice.mode ?? 'auto',
      parallel_tool_calls: body.parallel_tool_calls,
    })
    return { ...tools, warnings }
  }
  const tools = toToolRequest({
    messages: [],
    tools: functions,
    tool_choice: choice,
    parallel_tool_calls: body.parallel_tool_calls,
  })
  return { ...tools, warnings }
}

function toChatTool({ name, description, parameters, strict }: Extract<ResponseTool, { name: string }>): ChatTool {
  return { type: 'function', function: { name, description, parameters, strict } }
}

function listNames({ tools }: Extract<ResponseToolChoice, { readonly type: 'allowed_tools' }>): ReadonlySet<string> {
  return new Set(tools.map((tool) => (typeof tool === 'string' ? tool : (tool.name ?? ''))))
}
