import { realtimeSessionFields } from '@svc/wire/realtime'
import * as z from 'zod'

/** Query of `GET /v1/realtime`. */
export const realtimeQuery = z.object({
  model: z.string().optional().describe('name of a pipeline; a client secret may name it instead'),
  intent: z.enum(['transcription']).optional().describe('a session that only writes down what it hears'),
})

/** Longest and shortest life of a client secret, seconds. */
const MAX_SECONDS = 7200
const MIN_SECONDS = 10

/** Body of `POST /v1/realtime/client_secrets`. */
export const clientSecretRequest = z.looseObject({
  expires_after: z
    .looseObject({
      anchor: z.literal('created_at').nullish(),
      seconds: z.int().min(MIN_SECONDS).max(MAX_SECONDS).nullish(),
    })
    .nullish(),
  session: realtimeSessionFields.nullish(),
})

/** Body of `POST /v1/realtime/sessions` and `/v1/realtime/transcription_sessions`. */
export const sessionRequest = realtimeSessionFields

/** A session as its client sees it. */
const session = z.looseObject({ id: z.string(), object: z.string(), type: z.enum(['realtime', 'transcription']) })
const secret = { value: z.string(), expires_at: z.int() }

/** Reply of `POST /v1/realtime/client_secrets`. */
export const clientSecretReply = z.object({ ...secret, session })

/** Reply of `POST /v1/realtime/sessions`. */
export const sessionReply = session.extend({ client_secret: z.object(secret) })

export type ClientSecretRequest = z.infer<typeof clientSecretRequest>
