import * as z from 'zod'
import { endAtFirstFault } from '../first-fault.ts'

const id = z.string().min(1).max(256)
const facts = {
  id: id.nullish(),
  object: z.literal('realtime.item').nullish(),
  status: z.enum(['in_progress', 'completed', 'incomplete']).nullish(),
}
const MAX_PARTS = 256
const MAX_TEXT = 10_000_000

/** One part of the content of a message. `text` and `audio` are words of the beta. */
export const realtimeContentPart = z.discriminatedUnion('type', [
  z.looseObject({ type: z.enum(['input_text', 'output_text', 'text']), text: z.string().max(MAX_TEXT) }),
  z.looseObject({
    type: z.literal('input_audio'),
    /** Sound in the input format of the session, base64. */
    audio: z.string().nullish(),
    transcript: z.string().max(MAX_TEXT).nullish(),
  }),
  z.looseObject({
    type: z.enum(['output_audio', 'audio']),
    audio: z.string().nullish(),
    transcript: z.string().max(MAX_TEXT).nullish(),
  }),
  z.looseObject({
    type: z.literal('input_image'),
    /** A data URL. */
    image_url: z.string().max(MAX_TEXT),
    detail: z.enum(['auto', 'low', 'high']).nullish(),
  }),
])

/** One item of a conversation, as a client writes it. */
export const realtimeItem = z.discriminatedUnion('type', [
  z.looseObject({
    type: z.literal('message'),
    ...facts,
    role: z.enum(['system', 'user', 'assistant']),
    content: endAtFirstFault(z.array(realtimeContentPart).max(MAX_PARTS)),
  }),
  z.looseObject({
    type: z.literal('function_call'),
    ...facts,
    call_id: id.nullish(),
    name: z.string().min(1).max(256),
    arguments: z.string().max(MAX_TEXT),
  }),
  z.looseObject({
    type: z.literal('function_call_output'),
    ...facts,
    call_id: id,
    output: z.string().max(MAX_TEXT),
  }),
  z.looseObject({
    type: z.literal('mcp_approval_response'),
    ...facts,
    approval_request_id: id,
    approve: z.boolean(),
    reason: z.string().max(10_000).nullish(),
  }),
  z.looseObject({
    type: z.literal('mcp_approval_request'),
    ...facts,
    server_label: z.string(),
    name: z.string(),
    arguments: z.string().max(MAX_TEXT),
  }),
  z.looseObject({
    type: z.literal('mcp_call'),
    ...facts,
    server_label: z.string(),
    name: z.string(),
    arguments: z.string().max(MAX_TEXT),
    output: z.string().max(MAX_TEXT).nullish(),
    error: z.unknown().optional(),
    approval_request_id: z.string().nullish(),
  }),
  z.looseObject({
    type: z.literal('mcp_list_tools'),
    ...facts,
    server_label: z.string(),
    tools: endAtFirstFault(z.array(z.looseObject({ name: z.string() }))).nullish(),
  }),
])

/** An item of the input of a response: of its own, or one of the conversation by its id. */
export const realtimeInputItem = z.union([realtimeItem, z.looseObject({ type: z.literal('item_reference'), id })])

/** One part of the content of a message. */
export type RealtimeContentPart = z.infer<typeof realtimeContentPart>
/** One item, as a client writes it. */
export type RealtimeItem = z.infer<typeof realtimeItem>
/** An item of the input of a response. */
export type RealtimeInputItem = z.infer<typeof realtimeInputItem>
