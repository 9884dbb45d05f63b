import * as z from 'zod'

/** Reply of `GET /readyz` while the server takes no requests. */
export const unready = z.object({
  status: z.enum(['starting', 'stopping', 'degraded']),
  reason: z.string(),
})
