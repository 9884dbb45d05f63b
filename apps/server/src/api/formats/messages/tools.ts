import { SvcError } from '@svc/errors'
import type { MessagesCountRequest, MessagesTool, MessagesToolChoice, MessagesToolset } from '@svc/wire/messages'
import type { ChatRequest } from '../../../inference/core/request.ts'
import { keepOwnTools, notInThisVersion } from '../hosted-tools.ts'

/** The fields of a request that its tools decide. */
type ToolRequest = Pick<ChatRequest, 'tools' | 'toolChoice' | 'parallelToolCalls' | 'warnings'>

/** Converts the tools of a request and the choice among them. */
export function toToolRequest({ tools: given, tool_choice: choice, ...body }: MessagesCountRequest): ToolRequest {
  if ((body.mcp_servers ?? []).length > 0) throw notInThisVersion('mcp_servers', 'servers of tools')
  const { own, warnings } = keepOwnTools(given ?? [], isCallersOwn)
  if (choice?.type === 'none') return {}
  if (choice != null) checkNames(own, choice)
  if (own.length === 0) return { warnings }
  return {
    tools: own.map(toTool),
    warnings,
    toolChoice: choice == null ? undefined : toChoice(choice),
    parallelToolCalls: choice?.disable_parallel_tool_use == null ? undefined : !choice.disable_parallel_tool_use,
  }
}

/** A choice that allows calls. */
type OpenChoice = Exclude<MessagesToolChoice, { type: 'none' }>

/** Whether the caller describes and runs the tool. Only the vendor knows the schemas of other types. */
function isCallersOwn(tool: MessagesTool | MessagesToolset): tool is MessagesTool {
  return tool.type == null || tool.type === 'custom'
}

function toTool({ name, description, input_schema: parameters, strict }: MessagesTool): unknown {
  return {
    type: 'function',
    function: {
      name,
      ...(description == null ? {} : { description }),
      ...(parameters == null ? {} : { parameters }),
      ...(strict == null ? {} : { strict }),
    },
  }
}

function checkNames(tools: readonly MessagesTool[], choice: OpenChoice): void {
  if (choice.type === 'auto') return
  if (tools.length === 0) throw invalid('tool_choice', 'there are no tools to choose from')
  if (choice.type === 'any' || tools.some(({ name }) => name === choice.name)) return
  throw invalid('tool_choice.name', 'names a tool that is not among the tools')
}

function toChoice(choice: OpenChoice): unknown {
  if (choice.type === 'tool') return { type: 'function', function: { name: choice.name } }
  return choice.type === 'any' ? 'required' : 'auto'
}

function invalid(param: string, message: string): SvcError {
  return new SvcError('invalid_request', `${param}: ${message}`, { code: 'invalid_tools', details: { param } })
}
