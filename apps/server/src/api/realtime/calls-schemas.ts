import { realtimeSessionFields } from '@svc/wire/realtime'
import * as z from 'zod'

const model = z.string().max(1024).describe('name of a pipeline; a client secret may name it instead')

/** Query of `POST /v1/realtime/calls`. */
export const callQuery = z.object({ model: model.optional().describe('the model of an offer that is not JSON') })

/** Body of `POST /v1/realtime/calls`. */
export const callBody = z.object({
  sdp: z.string().describe('the offer of the client'),
  model: model.nullish(),
  session: realtimeSessionFields.nullish().describe('settings that the session begins with'),
})

/** Form of `POST /v1/realtime/calls`. */
export const callForm = z.object({
  sdp: z.string(),
  session: z.string().optional(),
})

/** Reply to an offer in JSON. */
export const callAnswer = z.object({ sdp: z.string(), session_id: z.string() })

/** Reply of `POST /v1/realtime/calls/:call_id/hangup`. */
export const hangUpReply = z.object({})
