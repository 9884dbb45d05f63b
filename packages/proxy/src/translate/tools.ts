import type { ChatCompletionRequest, ChatFunction } from '@svc/wire/openai'
import { fieldsOf, isFields, textOf, tryParseJson } from '../fields.ts'

/** Which tools may or must be called. */
export type ToolChoice = 'auto' | 'none' | 'required' | { readonly name: string }

/** What a request says about tools, in the one form that all others are read as. */
export interface ToolUse {
  readonly functions: readonly ChatFunction[]
  readonly choice: ToolChoice | undefined
  /** Whether one turn may call more than one; absent where nothing is said. */
  readonly parallel: boolean | undefined
}

/** The tools of a request, the older `functions` among them. A choice that nobody understands is left out. */
export function toToolUse(chat: ChatCompletionRequest): ToolUse {
  const tools = chat.tools ?? []
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

/** Nested, flat, or the older form. */
function toNamed(choice: unknown): ToolChoice | undefined {
  if (!isFields(choice)) return undefined
  const name = textOf(fieldsOf(choice.function).name) ?? textOf(choice.name)
  return name === undefined || name === '' ? undefined : { name }
}
