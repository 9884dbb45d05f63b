import type { ChatTool } from '@svc/wire/openai'
import type { ResponseRequest, ResponseTool, ResponseToolChoice } from '@svc/wire/responses'
import type { HostedTool } from '../../../inference/tools/hosted-tool.ts'
import { keepOwnTools } from '../hosted-tools.ts'
import { type ToolRequest, toToolRequest } from '../openai/chat/tools.ts'
import { RUN_HERE } from './hosted-fields.ts'

/** Whether a tool is a function, the only type that a local model can call. */
function isFunction(tool: ResponseTool): tool is Extract<ResponseTool, { readonly name: string }> {
  return tool.type === 'function'
}

/**
 * Converts the tools of a request to the compatible format; other types than functions reach no model.
 *
 * @param options.hosted tools that this server runs, under the same choice
 */
export function toResponseTools(
  body: ResponseRequest,
  { hosted }: { readonly hosted: readonly HostedTool[] },
): ToolRequest {
  const { own, warnings } = keepOwnTools(body.tools ?? [], isFunction, RUN_HERE)
  const functions = own.map(toChatTool)
  const choice = body.tool_choice ?? undefined
  if (typeof choice === 'object' && choice.type === 'allowed_tools') {
    const allowed = listNames(choice)
    const tools = toToolRequest(
      {
        messages: [],
        tools: functions.filter(({ function: { name } }) => allowed.has(name)),
        tool_choice: choice.mode ?? 'auto',
        parallel_tool_calls: body.parallel_tool_calls,
      },
      { hosted: hosted.filter((one) => isAllowed(one, choice)) },
    )
    return { ...tools, warnings }
  }
  const tools = toToolRequest(
    { messages: [], tools: functions, tool_choice: choice, parallel_tool_calls: body.parallel_tool_calls },
    { hosted },
  )
  return { ...tools, warnings }
}

function toChatTool({ name, description, parameters, strict }: Extract<ResponseTool, { name: string }>): ChatTool {
  return { type: 'function', function: { name, description, parameters, strict } }
}

type AllowedTools = Extract<ResponseToolChoice, { readonly type: 'allowed_tools' }>

/** Whether a choice among tools names a server or a search. */
function isAllowed(hosted: HostedTool, { tools }: AllowedTools): boolean {
  return tools.some((tool) => {
    if (typeof tool === 'string') return false
    if (hosted.kind === 'file-search') return tool.type === 'file_search'
    return hosted.kind === 'named-server' && tool.type === 'mcp' && tool.server_label === hosted.server.label
  })
}

function listNames({ tools }: AllowedTools): ReadonlySet<string> {
  return new Set(tools.map((tool) => (typeof tool === 'string' ? tool : (tool.name ?? ''))))
}
