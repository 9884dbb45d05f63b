import type { Message, PredictOptions } from '@svc/backend-client/proto'

/** A conversation of the contract, with its members in the chat format. */
export interface Conversation {
  readonly messages: readonly Record<string, unknown>[]
  readonly tools: unknown
  readonly toolChoice: unknown
  /** Options for the instance's template. */
  readonly metadata: Readonly<Record<string, string>>
}

/** Reads the conversation of a call; it has no messages when the host rendered the prompt. */
export function toConversation({ Messages, Tools, ToolChoice, Metadata }: PredictOptions): Conversation {
  // The instance applies a template of its own, with its own arguments.
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

/** Parses JSON text; undefined for anything else. */
export function parseJson(text: string): unknown {
  if (text === '') return undefined
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
