import type { Message, PredictOptions } from '@svc/backend-client/proto'

/** A conversation of the contract, its members as the chat format has them. */
export interface Conversation {
  readonly messages: readonly Record<string, unknown>[]
  readonly tools: unknown
  readonly toolChoice: unknown
  /** Switches for the instance's template. */
  readonly metadata: Readonly<Record<string, string>>
}

/** The conversation that a call is about; it has no messages where the host wrote the prompt. */
export function toConversation({ Messages, Tools, ToolChoice, Metadata }: PredictOptions): Conversation {
  // The instance has a template of its own, and arguments for it.
  const { chat_template_kwargs: _own, ...metadata } = Metadata
  return {
    messages: Messages.map(toMessage),
    tools: parseJson(Tools),
    toolChoice: ToolChoice === '' ? undefined : (parseJson(ToolChoice) ?? ToolChoice),
    metadata,
  }
}

function toMessage({ role, content, name, toolCallId, reasoningContent, toolCalls }: Message): Record<string, unknown> {
  const calls = parseJson(toolCalls)
  return {
    role,
    content,
    ...(name === '' ? {} : { name }),
    ...(toolCallId === '' ? {} : { tool_call_id: toolCallId }),
    ...(reasoningContent === '' ? {} : { reasoning: reasoningContent }),
    ...(Array.isArray(calls) && calls.length > 0 ? { tool_calls: calls } : {}),
  }
}

/** The value of JSON text; nothing where it is none. */
export function parseJson(text: string): unknown {
  if (text === '') return undefined
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
