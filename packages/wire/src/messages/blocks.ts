import * as z from 'zod'
import { endAtFirstFault } from '../first-fault.ts'
import { anyObject } from '../scalars.ts'
import { isKnownBlockType, isMediaBlockType } from './known-blocks.ts'

/** Source of the bytes of an image or document. */
const source = z.discriminatedUnion('type', [
  z.looseObject({ type: z.literal('base64'), media_type: z.string(), data: z.string() }),
  z.looseObject({ type: z.literal('url'), url: z.string() }),
  z.looseObject({ type: z.literal('text'), media_type: z.string().nullish(), data: z.string() }),
  z.looseObject({ type: z.literal('content'), content: z.unknown() }),
  z.looseObject({ type: z.literal('file'), file_id: z.string() }),
])

/** A block of text. */
export const messagesTextBlock = z.looseObject({ type: z.literal('text'), text: z.string() })

const imageBlock = z.looseObject({ type: z.literal('image'), source })
const documentBlock = z.looseObject({ type: z.literal('document'), source, title: z.string().nullish() })

/** A block of a type this server does not know; a proxy passes it on, a local model refuses it. */
function unknownBlock(isKnown: (type: string) => boolean) {
  // Aborting: the error for a known block of a wrong shape must name its field, not its type.
  return z.looseObject({ type: z.string().refine((type) => !isKnown(type), { abort: true }) })
}

const knownResultBlock = z.discriminatedUnion('type', [messagesTextBlock, imageBlock, documentBlock])

/** One block of a tool's result, of any type. */
export const messagesResultBlock = z.union([knownResultBlock, unknownBlock(isMediaBlockType)])

const toolUseBlock = z.looseObject({
  type: z.literal('tool_use'),
  id: z.string(),
  name: z.string().min(1),
  input: anyObject,
})

const toolResultBlock = z.looseObject({
  type: z.literal('tool_result'),
  tool_use_id: z.string(),
  content: z.union([z.string(), endAtFirstFault(z.array(messagesResultBlock))]).nullish(),
  is_error: z.boolean().nullish(),
})

const thinkingBlock = z.looseObject({
  type: z.literal('thinking'),
  thinking: z.string(),
  signature: z.string().nullish(),
})

const redactedBlock = z.looseObject({ type: z.literal('redacted_thinking'), data: z.string() })

const knownBlock = z.discriminatedUnion('type', [
  messagesTextBlock,
  imageBlock,
  documentBlock,
  toolUseBlock,
  toolResultBlock,
  thinkingBlock,
  redactedBlock,
])

/** One block of a message's content, of a type this server knows. */
export type MessagesBlock = z.infer<typeof knownBlock>

/** One block of a message's content, of any type. */
export const messagesBlock = z.union([knownBlock, unknownBlock(isKnownBlockType)])

/** A call of a tool that the server ran, in a message of the assistant. */
export const messagesServerToolUse = z.looseObject({
  type: z.literal('mcp_tool_use'),
  id: z.string(),
  name: z.string().min(1),
  server_name: z.string(),
  input: anyObject,
})

/** The result of a tool that the server ran, in the same message as its call. */
export const messagesServerToolResult = z.looseObject({
  type: z.literal('mcp_tool_result'),
  tool_use_id: z.string(),
  content: z.union([z.string(), endAtFirstFault(z.array(messagesResultBlock))]).nullish(),
  is_error: z.boolean().nullish(),
})

/** A message of the conversation; instructions may also come in between as `system`. */
export const messagesMessage = z.looseObject({
  role: z.enum(['user', 'assistant', 'system']),
  content: z.union([z.string(), endAtFirstFault(z.array(messagesBlock))]),
})

/** A message of the conversation. */
export type MessagesMessage = z.infer<typeof messagesMessage>
/** A block of text. */
export type MessagesTextBlock = z.infer<typeof messagesTextBlock>
