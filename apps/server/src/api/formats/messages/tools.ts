import { SvcError } from '@svc/errors'
import type { MessagesCountRequest, MessagesTool, MessagesToolChoice } from '@svc/wire/messages'
import type { ChatRequest } from '../../../inference/request.ts'

/** The fields of a request that its tools decide. */
type ToolRequest = Pick<ChatRequest, 'tools' | 'toolChoice' | 'parallelToolCalls'>

/** Converts the tools of a request and the choice among them. */
export function toToolRequest({ tools: given, tool_choice: choice }: MessagesCountRequest): ToolRequest {
  const tools = (given ?? []).map(toTool)
  if (choice?.type === 'none') return {}
  if (choice != null) checkNames(given ?? [], choice)
  if (tools.length === 0) return {}
  return {
    tools,
    toolChoice: choice == null ? undefined : toChoice(choice),
    parallelToolCalls: choice?.disable_parallel_tool_use == null ? undefined : !choice.disable_parallel_tool_use,
  }
}

/** A choice that allows calls. */
type OpenChoice = Exclude<MessagesToolChoice, { type: 'none' }>

function toTool(tool: MessagesTool, index: number): unknown {
  const { type, name, description, input_schema: parameters, strict } = tool
  if (type != null && type !== 'custom') {
    throw invalid(`tools[${index}].type`, 'only tools that the caller runs, of the type custom, can be used here')
  }
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
