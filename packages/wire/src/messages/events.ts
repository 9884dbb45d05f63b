import * as z from 'zod'
import { messagesErrorReply } from './error.ts'
import { messagesReply, messagesReplyBlock, messagesStopReason, messagesUsage } from './reply.ts'

const index = z.int().min(0)

/** A piece of a block: text, thought, the signature of a thought, or JSON text of a call's input. */
export const messagesDelta = z.discriminatedUnion('type', [
  z.looseObject({ type: z.literal('text_delta'), text: z.string() }),
  z.looseObject({ type: z.literal('thinking_delta'), thinking: z.string() }),
  z.looseObject({ type: z.literal('signature_delta'), signature: z.string() }),
  z.looseObject({ type: z.literal('input_json_delta'), partial_json: z.string() }),
])

/**
 * One event of a streamed reply; the name of the event is its `type`. Blocks are numbered from 0, one is open at a time.
 */
export const messagesEvent = z.discriminatedUnion('type', [
  z.looseObject({ type: z.literal('message_start'), message: messagesReply }),
  z.looseObject({ type: z.literal('ping') }),
  z.looseObject({ type: z.literal('content_block_start'), index, content_block: messagesReplyBlock }),
  z.looseObject({ type: z.literal('content_block_delta'), index, delta: messagesDelta }),
  z.looseObject({ type: z.literal('content_block_stop'), index }),
  z.looseObject({
    type: z.literal('message_delta'),
    delta: z.looseObject({ stop_reason: messagesStopReason, stop_sequence: z.string().nullable() }),
    usage: messagesUsage.extend({ input_tokens: z.int().min(0).exactOptional() }),
  }),
  z.looseObject({ type: z.literal('message_stop') }),
  messagesErrorReply,
])

/** A piece of a block. */
export type MessagesDelta = z.infer<typeof messagesDelta>
/** One event of a streamed reply. */
export type MessagesEvent = z.infer<typeof messagesEvent>
