import * as z from 'zod'
import { endAtFirstFault } from '../first-fault.ts'
import { realtimeInputItem, realtimeItem } from './items.ts'
import { realtimeResponseFields, realtimeSessionFields } from './session.ts'

/** Most items of the input of one response. */
const MAX_INPUT = 1024

const id = z.string().min(1).max(256)
/** Comes back in the error event about its event. */
const numbered = { event_id: z.string().max(512).nullish() }

const bare = <const T extends string>(type: T) => z.looseObject({ type: z.literal(type), ...numbered })

/** `response` of `response.create`. */
export const realtimeResponseRequest = realtimeResponseFields.extend({
  input: endAtFirstFault(z.array(realtimeInputItem).max(MAX_INPUT)).nullish(),
})

/** One event of a client. */
export const realtimeClientEvent = z.discriminatedUnion('type', [
  z.looseObject({ type: z.literal('session.update'), ...numbered, session: realtimeSessionFields }),
  // the beta of 2024
  z.looseObject({ type: z.literal('transcription_session.update'), ...numbered, session: realtimeSessionFields }),
  z.looseObject({ type: z.literal('input_audio_buffer.append'), ...numbered, audio: z.string() }),
  bare('input_audio_buffer.commit'),
  bare('input_audio_buffer.clear'),
  bare('output_audio_buffer.clear'),
  z.looseObject({
    type: z.literal('conversation.item.create'),
    ...numbered,
    /** `root` puts the item first; absent puts it last. */
    previous_item_id: id.nullish(),
    item: realtimeItem,
  }),
  z.looseObject({ type: z.literal('conversation.item.retrieve'), ...numbered, item_id: id }),
  z.looseObject({
    type: z.literal('conversation.item.truncate'),
    ...numbered,
    item_id: id,
    content_index: z.int().min(0),
    audio_end_ms: z.int().min(0),
  }),
  z.looseObject({ type: z.literal('conversation.item.delete'), ...numbered, item_id: id }),
  z.looseObject({
    type: z.literal('response.create'),
    ...numbered,
    response: realtimeResponseRequest.nullish(),
  }),
  z.looseObject({ type: z.literal('response.cancel'), ...numbered, response_id: id.nullish() }),
])

/** Types of the events of a client. */
export const REALTIME_CLIENT_EVENTS = realtimeClientEvent.options.map(({ shape }) => shape.type.value)

/** One event of a client. */
export type RealtimeClientEvent = z.infer<typeof realtimeClientEvent>
/** `response` of `response.create`. */
export type RealtimeResponseRequest = z.infer<typeof realtimeResponseRequest>
