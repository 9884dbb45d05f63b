import { countOf, type Fields, withoutNothing } from '@svc/proxy/replies'
import { chatToMessages } from '@svc/proxy/translate'
import { parseBody } from '@svc/wire'
import { chatCompletionRequest } from '@svc/wire/openai'
import { undecodable } from './status.ts'
import type { ServiceCall, ServiceTransport } from './transport.ts'

/** A conversation whose prompt is to be measured; members as the chat format has them. */
export interface CountInput {
  readonly messages: readonly Fields[]
  readonly tools?: unknown
  readonly toolChoice?: unknown
  /** Switches for the instance's template. */
  readonly metadata?: Readonly<Record<string, string>> | undefined
}

/**
 * The tokens of a conversation as the instance's own template writes it. The route that counts takes the messages
 * format: system messages are joined above, messages of one role in a row are one, which may be a few tokens off.
 *
 * @throws {SvcError} `invalid_body` for a conversation that is none
 */
export async function countTokens(transport: ServiceTransport, input: CountInput, call: ServiceCall): Promise<number> {
  const path = '/v1/messages/count_tokens'
  const chat = parseBody(
    chatCompletionRequest,
    withoutNothing({ messages: input.messages, tools: input.tools, tool_choice: input.toolChoice }),
  )
  const { model, system, messages, tools, tool_choice } = chatToMessages(chat, transport.target.model)
  const json = withoutNothing({ model, system, messages, tools, tool_choice, metadata: input.metadata })
  const { input_tokens: tokens } = await transport.ask(path, { json }, call)
  const count = countOf(tokens)
  if (count === undefined) throw undecodable(path)
  return count
}
