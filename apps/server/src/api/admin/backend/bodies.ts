import * as z from 'zod'

const model = z.string().min(1, 'model is required')

/** Body of `POST /backend/load`, and of the monitor when its query names no model. */
export const modelBody = z.looseObject({ model })

/** Body of `POST /backend/shutdown`. */
export const shutdownBody = z.looseObject({
  model,
  force: z
    .boolean()
    .nullish()
    .describe('Ends running calls and refuses requests that wait for a load, instead of waiting up to 30 s for calls.'),
})

/** Query of `GET /backend/monitor`. */
export const monitorQuery = z.object({
  model: z.string().optional().describe('The model; a JSON body may name it instead.'),
})

/** Reply of `GET /backend/monitor`. */
export const monitorReply = z.object({
  state: z
    .union([z.literal(1), z.literal(2), z.literal(-1)])
    .optional()
    .describe('1 busy, 2 ready, -1 unknown: the figures are of its process; absent: nothing is loaded yet.'),
  memory: z
    .object({ total: z.number(), breakdown: z.record(z.string(), z.number()) })
    .describe('Bytes, as the backend counts them.'),
})

/** Reply of `POST /backend/load`. */
export const loadReply = z.object({
  loaded: z.array(z.string()).describe('Models that are resident now; of a pipeline also when others of it failed.'),
  message: z.string(),
})

/** Reply of `POST /backend/shutdown`. */
export const shutdownReply = z.object({ message: z.string() })
