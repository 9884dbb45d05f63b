import { type ChatCompletionRequest, type ChatFunction, isFunctionTool } from '@svc/wire/openai'
import { isFields, toFields, toText, tryParseJson } from '../fields.ts'

/** The choice of tools that may or must be called. */
export type ToolChoice = 'auto' | 'none' | 'required' | { readonly name: string }

/** The tool settings of a request, in the one form that covers all others. */
export interface ToolUse {
  readonly functions: readonly ChatFunction[]
  readonly choice: ToolChoice | undefined
  /** Whether one turn may call several tools; absent when the request does not say. */
  readonly parallel: boolean | undefined
}

/** The functions of a request, the older form included. Drops tools of other types, and an unknown choice. */
export function toToolUse(chat: ChatCompletionRequest): ToolUse {
  const tools = (chat.tools ?? []).filter(isFunctionTool)
  return {
    functions: [...tools.map(({ function: definition }) => definition), ...(chat.functions ?? [])],
    choice: toChoice(chat.tool_choice ?? chat.function_call),
    parallel: chat.parallel_tool_calls ?? undefined,
  }
}

function toChoice(choice: unknown): ToolChoice | undefined {
  if (choice === 'auto' || choice === 'none' || choice === 'required') return choice
  if (choice === 'any') return 'required'
  // Some clients send the object as JSON text.
  if (typeof choice === 'string') return toNamed(tryParseJson(choice))
  return toNamed(choice)
}

/** The nested, the flat or the older form. */
function toNamed(choice: unknown): ToolChoice | undefined {
  if (!isFields(choice)) return undefined
  const name = toText(toFields(choice.function).name) ?? toText(choice.name)
  return name === undefined || name === '' ? undefined : { name }
}
