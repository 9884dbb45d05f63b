import { SvcError } from '@svc/errors'
import { type ChatCompletionRequest, type ChatTool, isFunctionTool } from '@svc/wire/openai'
import type { ChatRequest } from '../../../../inference/core/request.ts'
import type { HostedTool } from '../../../../inference/tools/hosted-tool.ts'
import { keepOwnTools } from '../../hosted-tools.ts'

/** The fields of a request that its tools decide. */
export type ToolRequest = Pick<ChatRequest, 'tools' | 'hostedTools' | 'toolChoice' | 'parallelToolCalls' | 'warnings'>

/** A tool choice in its normal form: a word, or the function to call. */
type ToolChoice = 'auto' | 'none' | 'required' | { readonly type: 'function'; readonly function: { name: string } }

/**
 * Converts the tools of a request, including legacy `functions`, and the choice among them.
 *
 * @param options.hosted tools that this server runs, under the same choice. @default none
 */
export function toToolRequest(
  body: ChatCompletionRequest,
  { hosted = [] }: { readonly hosted?: readonly HostedTool[] | undefined } = {},
): ToolRequest {
  const { own, warnings } = keepOwnTools(body.tools ?? [], isFunctionTool)
  const tools = [...own, ...(body.functions ?? []).map(toTool)]
  const choice = readChoice(body)
  if (choice === 'none') return {}
  // The names of hosted tools are known once their servers are asked.
  if (hosted.length === 0) checkNames(tools, choice)
  if (tools.length + hosted.length === 0) return { warnings }
  return {
    ...(tools.length === 0 ? {} : { tools }),
    ...(hosted.length === 0 ? {} : { hostedTools: hosted }),
    warnings,
    toolChoice: choice,
    parallelToolCalls: usesFunctions(body) ? false : (body.parallel_tool_calls ?? undefined),
  }
}

/** Whether the reply uses `function_call` in place of `tool_calls`, because the client uses the older form. */
export function usesFunctions(body: ChatCompletionRequest): boolean {
  return (body.functions?.length ?? 0) > 0 && (body.tools?.length ?? 0) === 0
}

function toTool(definition: ChatTool['function']): ChatTool {
  return { type: 'function', function: definition }
}

function checkNames(tools: readonly ChatTool[], choice: ToolChoice | undefined): void {
  if (choice === undefined || choice === 'auto') return
  if (tools.length === 0) throw invalidChoice('tool_choice: there are no tools to choose from')
  if (typeof choice === 'string' || tools.some((tool) => tool.function.name === choice.function.name)) return
  throw invalidChoice('tool_choice: names a function that is not among the tools')
}

function readChoice(body: ChatCompletionRequest): ToolChoice | undefined {
  if (body.tool_choice != null) return toChoice(body.tool_choice)
  const legacy = body.function_call
  if (legacy == null) return undefined
  return typeof legacy === 'string' ? legacy : toNamed(legacy.name)
}

function toChoice(choice: unknown): ToolChoice {
  if (choice === 'any') return 'required'
  if (choice === 'auto' || choice === 'none' || choice === 'required') return choice
  if (typeof choice === 'string') return toChoice(parseChoice(choice))
  const name = readMember(readMember(choice, 'function'), 'name') ?? readMember(choice, 'name')
  if (typeof name !== 'string' || name === '') throw invalidChoice('tool_choice: names no function')
  return toNamed(name)
}

function toNamed(name: string): ToolChoice {
  return { type: 'function', function: { name } }
}

/** Some clients send the object as JSON text. */
function parseChoice(text: string): unknown {
  try {
    const choice: unknown = JSON.parse(text)
    if (typeof choice === 'object' && choice !== null) return choice
  } catch {
    // refused below
  }
  throw invalidChoice('tool_choice: expected "auto", "none", "required" or an object')
}

function readMember(value: unknown, key: string): unknown {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, key)
    ? (value as Readonly<Record<string, unknown>>)[key]
    : undefined
}

function invalidChoice(message: string): SvcError {
  return new SvcError('invalid_request', message, { code: 'invalid_tool_choice', details: { param: 'tool_choice' } })
}
