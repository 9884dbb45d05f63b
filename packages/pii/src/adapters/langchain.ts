/**
 * A wrapper of model calls for agents of LangChain. It imports nothing of LangChain.
 *
 * @module
 */
import type { TokenMap } from '../reversible/index.ts'
import { type ConversationOptions, filterCall } from './filter-value.ts'
import { isFields, restoreValue } from './json-value.ts'

/** The part of a model call that the wrapper reads. */
interface ModelCall {
  readonly messages: readonly object[]
  readonly systemMessage?: object | undefined
  readonly runtime?: { readonly signal?: AbortSignal | undefined } | undefined
}

/**
 * Creates the `wrapModelCall` of a middleware: the model reads tokens in place of private values, in the system message
 * and all messages with their calls of tools, and the agent gets a reply with the values. Descriptions of tools are
 * not scanned, and neither are images and files. Deltas that a stream of the agent shows while the model writes hold
 * tokens.
 *
 * @example
 * const middleware = createMiddleware({ name: 'pii', wrapModelCall: piiModelCall() })
 */
export function piiModelCall(options: ConversationOptions = {}) {
  return async <Call extends ModelCall, Reply>(
    call: Call,
    handler: (call: Call) => Reply | PromiseLike<Reply>,
  ): Promise<Reply> => {
    const { systemMessage, messages } = call
    const all = systemMessage === undefined ? messages : [systemMessage, ...messages]
    const { value, tokens } = await filterCall(
      { messages: all.map(toFields) },
      { signal: call.runtime?.signal, ...options },
    )
    // without a token every text is as it was
    if (tokens === undefined && options.reversible !== false) return await handler(call)
    const filtered = all.map((message, index) => withFields(message, value.messages[index]))
    const [first, ...rest] = filtered
    const reply = await handler(
      systemMessage === undefined ? { ...call, messages: filtered } : { ...call, systemMessage: first, messages: rest },
    )
    return tokens === undefined ? reply : restoreReply(tokens, reply)
  }
}

/** A message with its values; also the messages beside a structured response. */
function restoreReply<Reply>(tokens: TokenMap, reply: Reply): Reply {
  if (typeof reply !== 'object' || reply === null) return reply
  const restored = withFields<object>(reply, restoreValue(tokens, { ...reply }))
  if (!('messages' in restored) || !Array.isArray(restored.messages)) return restored as Reply
  const messages = restored.messages.map((message: unknown) => restoreReply(tokens, message))
  return { ...restored, messages } as Reply
}

interface MessageFields {
  readonly artifact?: unknown
  /** The arguments of its constructor, which a message keeps. */
  readonly lc_kwargs?: object | undefined
}

/** The fields of a message, without the artifact of a tool, which no model is sent. */
function toFields(message: object): MessageFields {
  const { artifact: _, ...fields }: MessageFields = { ...message }
  return fields.lc_kwargs === undefined ? fields : { ...fields, lc_kwargs: toFields(fields.lc_kwargs) }
}

/** A message of the same class with other fields. */
function withFields<Message extends object>(message: Message, fields: object | undefined): Message {
  const copy: Message = Object.assign(Object.create(Object.getPrototypeOf(message)), message)
  return Object.assign(copy, isFields(fields) ? fields : {})
}
