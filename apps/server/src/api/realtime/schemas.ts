import * as z from 'zod'

/** Query of `GET /v1/realtime`. */
export const realtimeQuery = z.object({
  model: z.string().optional().describe('name of a pipeline; a client secret may name it instead'),
  intent: z.enum(['transcription']).optional().describe('a session that only writes down what it hears'),
})
