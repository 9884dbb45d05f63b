import { dropAbsent, type Fields, toCount } from '@svc/proxy/replies'
import { chatToMessages } from '@svc/proxy/translate'
import { chatCompletionRequest } from '@svc/wire/openai'
import { parseBody } from '@svc/wire/parse-body'
import { undecodable } from './status.ts'
import type { ServiceCall, ServiceTransport } from './transport.ts'

/** A conversation whose prompt is counted; members in the chat format. */
export interface CountInput {
  readonly messages: readonly Fields[]
  readonly tools?: unknown
  readonly toolChoice?: unknown
  /** Options for the instance's template. */
  readonly metadata?: Readonly<Record<string, string>> | undefined
}

/**
 * Counts the tokens of a conversation as the instance's own template writes it. The route takes the messages format:
 * system messages are joined above, and consecutive messages of one role become one, so the count may be off by a few
 * tokens.
 *
 * @throws {SvcError} `invalid_body` for an invalid conversation
 */
export async function countTokens(transport: ServiceTransport, input: CountInput, call: ServiceCall): Promise<number> {
  const path = '/v1/messages/count_tokens'
  const chat = parseBody(
    chatCompletionRequest,
    dropAbsent({ messages: input.messages, tools: input.tools, tool_choice: input.toolChoice }),
  )
  const { model, system, messages, tools, tool_choice } = chatToMessages(chat, transport.target.model)
  const json = dropAbsent({ model, system, messages, tools, tool_choice, metadata: input.metadata })
  const { input_tokens: tokens } = await transport.ask(path, { json }, call)
  const count = toCount(tokens)
  if (count === undefined) throw undecodable(path)
  return count
}
