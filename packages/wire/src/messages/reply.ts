import * as z from 'zod'

/** The reason why a message ended. */
export const messagesStopReason = z.enum(['end_turn', 'max_tokens', 'stop_sequence', 'tool_use', 'refusal'])

/**
 * Token counts of a message; output tokens are a running total in a stream. Input tokens do not count tokens that were
 * read from the prompt cache or written to it.
 */
export const messagesUsage = z.looseObject({
  input_tokens: z.int().min(0),
  output_tokens: z.int().min(0),
  cache_read_input_tokens: z.int().min(0).exactOptional(),
  cache_creation_input_tokens: z.int().min(0).exactOptional(),
  output_tokens_details: z.looseObject({ thinking_tokens: z.int().min(0).exactOptional() }).exactOptional(),
})

/** One block of a reply. The signature of a thought is opaque: clients hand it back with the thought. */
export const messagesReplyBlock = z.discriminatedUnion('type', [
  z.looseObject({ type: z.literal('thinking'), thinking: z.string(), signature: z.string() }),
  z.looseObject({ type: z.literal('redacted_thinking'), data: z.string() }),
  z.looseObject({ type: z.literal('text'), text: z.string() }),
  z.looseObject({
    type: z.literal('tool_use'),
    id: z.string(),
    name: z.string(),
    input: z.record(z.string(), z.unknown()),
  }),
  z.looseObject({
    type: z.literal('mcp_tool_use'),
    id: z.string(),
    name: z.string(),
    server_name: z.string(),
    input: z.record(z.string(), z.unknown()),
  }),
  z.looseObject({
    type: z.literal('mcp_tool_result'),
    tool_use_id: z.string(),
    is_error: z.boolean(),
    content: z.array(z.looseObject({ type: z.literal('text'), text: z.string() })),
  }),
])

/** Reply of `POST /v1/messages` without `stream`; `stop_sequence` is the one that ended it, where known. */
export const messagesReply = z.looseObject({
  id: z.string(),
  type: z.literal('message'),
  role: z.literal('assistant'),
  model: z.string(),
  content: z.array(messagesReplyBlock),
  stop_reason: messagesStopReason.nullable(),
  stop_sequence: z.string().nullable(),
  usage: messagesUsage,
})

/** Reply of `POST /v1/messages/count_tokens`. */
export const messagesCountReply = z.looseObject({ input_tokens: z.int().min(0) })

/** The reason why a message ended. */
export type MessagesStopReason = z.infer<typeof messagesStopReason>
/** Token counts of a message. */
export type MessagesUsage = z.infer<typeof messagesUsage>
/** One block of a reply. */
export type MessagesReplyBlock = z.infer<typeof messagesReplyBlock>
/** A whole reply. */
export type MessagesReply = z.infer<typeof messagesReply>
/** The tokens of a prompt. */
export type MessagesCountReply = z.infer<typeof messagesCountReply>
