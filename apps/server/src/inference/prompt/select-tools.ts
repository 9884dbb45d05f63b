import type { ModelConfig } from '../../catalog/model-config.ts'

/** A tool as templates list it. */
export interface PromptTool {
  readonly name: string
  readonly description: string
  readonly strict: boolean
  /** JSON Schema of the arguments. */
  readonly parameters?: Readonly<Record<string, unknown>> | undefined
}

/** Tools of a request that the model learns of, and how calls are enforced. */
export interface ToolSelection {
  /** Whether there is a tool to call; then `template.function` writes the prompt. */
  readonly isActive: boolean
  /** Whether a grammar made of {@link ToolSelection.functions} holds the reply. */
  readonly needsGrammar: boolean
  /** Whether the client requires a call. */
  readonly mustCall: boolean
  /**
   * The tools that may be called, and last the pseudo-tool for a plain answer. Templates list them and the grammar
   * allows them in this order.
   */
  readonly functions: readonly PromptTool[]
  /** Name of the pseudo-tool when the functions include it: the text of its "call" is the answer. */
  readonly answerTool?: string | undefined
}

type ToolChoice = 'auto' | 'none' | 'required' | { readonly name: string }

const NONE: ToolSelection = { isActive: false, needsGrammar: false, mustCall: false, functions: [] }
const ANSWER_NAME = 'answer'
const ANSWER_DESCRIPTION = 'use this action to answer without performing any action'
const ANSWER_PARAMETERS = {
  properties: { message: { type: 'string', description: 'The message to reply the user with' } },
}

/**
 * Chooses the tools of a prompt: all of them, or the one that the client names. A grammar turns every reply into a
 * call, so a pseudo-tool lets the model answer. It is left out when the model file disables it (`disable_no_action`), a
 * tool is strict, or the client requires a call.
 *
 * The grammar of the reply is made of the same list. Call this with the model's defaults filled in: models that render
 * their own template have a grammar only for strict tools.
 */
export function selectTools(
  model: Pick<ModelConfig, 'function'>,
  request: { readonly tools?: readonly unknown[] | undefined; readonly toolChoice?: unknown },
): ToolSelection {
  const tools = (request.tools ?? []).flatMap(toPromptTool)
  const choice = toToolChoice(request.toolChoice, tools)
  if (tools.length === 0 || choice === 'none') return NONE
  const isStrict = tools.some(({ strict }) => strict)
  const needsGrammar = isStrict || model.function.grammar?.disable !== true
  if (typeof choice === 'object') {
    return { isActive: true, needsGrammar, mustCall: true, functions: tools.filter(({ name }) => name === choice.name) }
  }
  const canAnswer = needsGrammar && !isStrict && choice === 'auto' && model.function.disableNoAction !== true
  if (!canAnswer) return { isActive: true, needsGrammar, mustCall: choice === 'required', functions: tools }
  const answer = answerTool(model.function)
  return { isActive: true, needsGrammar, mustCall: false, functions: [...tools, answer], answerTool: answer.name }
}

function answerTool(settings: ModelConfig['function']): PromptTool {
  return {
    name: settings.noActionFunctionName || ANSWER_NAME,
    description: settings.noActionDescriptionName || ANSWER_DESCRIPTION,
    strict: false,
    parameters: ANSWER_PARAMETERS,
  }
}

/** Reads a tool with its definition under `function`, or flat. A value without a name is not a tool. */
function toPromptTool(tool: unknown): PromptTool[] {
  if (!isRecord(tool)) return []
  const { name, description, strict, parameters } = isRecord(tool.function) ? tool.function : tool
  if (typeof name !== 'string' || name === '') return []
  return [
    {
      name,
      description: typeof description === 'string' ? description : '',
      strict: strict === true,
      parameters: isRecord(parameters) ? parameters : undefined,
    },
  ]
}

/** Reads an object, the same as JSON text, or a word. A word that is a tool's name chooses that tool. */
function toToolChoice(choice: unknown, tools: readonly PromptTool[]): ToolChoice {
  if (typeof choice === 'string') {
    if (choice === 'none' || choice === 'required') return choice
    if (tools.some(({ name }) => name === choice)) return { name: choice }
    return choice.startsWith('{') ? toToolChoice(parseJson(choice), tools) : 'auto'
  }
  if (!isRecord(choice)) return 'auto'
  const { name } = isRecord(choice.function) ? choice.function : choice
  return typeof name === 'string' && name !== '' ? { name } : 'auto'
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
