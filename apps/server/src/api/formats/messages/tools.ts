import { SvcError } from '@svc/errors'
import type { MessagesCountRequest, MessagesTool, MessagesToolChoice, MessagesToolset } from '@svc/wire/messages'
import type { ChatRequest } from '../../../inference/core/request.ts'
import type { HostedTool } from '../../../inference/tools/hosted-tool.ts'
import { keepOwnTools } from '../hosted-tools.ts'

/** The fields of a request that its tools decide. */
type ToolRequest = Pick<ChatRequest, 'tools' | 'hostedTools' | 'toolChoice' | 'parallelToolCalls' | 'warnings'>

/**
 * Converts the tools of a request and the choice among them.
 *
 * @param options.hosted tools that this server runs, under the same choice. @default none
 */
export function toToolRequest(
  { tools: given, tool_choice: choice }: MessagesCountRequest,
  { hosted = [] }: { readonly hosted?: readonly HostedTool[] | undefined } = {},
): ToolRequest {
  const { own, warnings } = keepOwnTools(given ?? [], isCallersOwn, RUN_HERE)
  if (choice?.type === 'none') return {}
  // The names of hosted tools are known once their servers are asked.
  if (choice != null && hosted.length === 0) checkNames(own, choice)
  if (own.length + hosted.length === 0) return { warnings }
  return {
    ...(own.length === 0 ? {} : { tools: own.map(toTool) }),
    ...(hosted.length === 0 ? {} : { hostedTools: hosted }),
    warnings,
    toolChoice: choice == null ? undefined : toChoice(choice),
    parallelToolCalls: choice?.disable_parallel_tool_use == null ? undefined : !choice.disable_parallel_tool_use,
  }
}

/** Types of tools that this server runs for requests of this format. */
const RUN_HERE: ReadonlySet<string> = new Set(['mcp_toolset'])

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
