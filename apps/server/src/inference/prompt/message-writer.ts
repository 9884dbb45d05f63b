import { compileGoTemplate } from '@svc/templates'
import type { ModelConfig } from '../../catalog/model-config.ts'
import type { PromptTemplate, Rendering } from './model-templates.ts'
import type { PromptMessage } from './prompt-input.ts'
import { toCallList, toChatMessageData } from './template-data.ts'

/** A message as the prompt has it. */
export interface WrittenMessage {
  /** Undefined when its template leaves it out; then no separator joins it either. */
  readonly text: string | undefined
  /** Whether this is a system message without a template; it replaces the model's own. */
  readonly isPlainSystem: boolean
}

/** Position of a message. */
export interface MessagePlace {
  readonly index: number
  readonly isLast: boolean
  /** Whether a grammar holds the reply. */
  readonly hasGrammar: boolean
}

/** Writes the messages of one request in order. */
export interface MessageWriter {
  write(message: PromptMessage, place: MessagePlace): WrittenMessage
}

const TO_JSON = compileGoTemplate('{{toJson .}}')
const CALLER_ROLE = 'assistant_function_call'

/**
 * Writes messages with `chat_message`. Without that template, and for a message that it fails on, the text is the
 * printed role from `roles`, then the content, then calls as JSON. A template that reaches a limit is not used again in
 * this request.
 */
export function createMessageWriter(
  model: Pick<ModelConfig, 'roles' | 'llm'>,
  template: PromptTemplate | undefined,
): MessageWriter {
  let usable = template
  return {
    write(message, place) {
      const roleName = toRole(message, model.roles)
      const role = lookUp(model.roles, roleName)
      const rendering = usable?.render(() =>
        toChatMessageData({
          systemPrompt: model.llm.systemPrompt,
          role,
          roleName,
          functionName: message.name,
          content: message.content,
          ...place,
          calls: toCallLines(message),
        }),
      )
      if (isExhausted(rendering)) usable = undefined
      if (rendering === undefined || 'failed' in rendering) {
        return { text: writePlain(message, role), isPlainSystem: roleName === 'system' && message.content !== '' }
      }
      return { text: rendering.text === '' ? undefined : rendering.text, isPlainSystem: false }
    },
  }
}

function isExhausted(rendering: Rendering | undefined): boolean {
  return rendering !== undefined && 'failed' in rendering && rendering.failed === 'exhausted'
}

/** A model may have another role for messages that call tools. */
function toRole(message: PromptMessage, roles: ModelConfig['roles']): string {
  return message.role === 'assistant' && hasCalls(message) && lookUp(roles, CALLER_ROLE) !== ''
    ? CALLER_ROLE
    : message.role
}

function hasCalls({ functionCall, toolCalls = [] }: PromptMessage): boolean {
  return functionCall !== undefined || toolCalls.length > 0
}

function toCallLines({ functionCall, toolCalls = [] }: PromptMessage): unknown {
  return toolCalls.length > 0 ? toCallList(toolCalls) : (functionCall ?? null)
}

function lookUp(roles: ModelConfig['roles'], role: string): string {
  return Object.hasOwn(roles, role) ? (roles[role] ?? '') : ''
}

function writePlain({ content, functionCall, toolCalls = [] }: PromptMessage, role: string): string {
  const calls: unknown[] = functionCall === undefined ? [] : [functionCall]
  if (toolCalls.length > 0) calls.push(toCallList(toolCalls))
  const lines = calls.map((call) => (role === '' ? '' : `${role} `) + TO_JSON.render(call))
  // Without content, the list of calls covers both ways of writing them.
  return content === '' ? (lines.at(-1) ?? '') : [role + content, ...lines].join('\n')
}
