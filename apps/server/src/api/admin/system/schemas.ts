import * as z from 'zod'

/** Query of `GET /system`. */
export const systemQuery = z.object({
  include: z
    .string()
    .optional()
    .describe(
      'Parts to add, with commas between: `resources` of the host, `problems` of models, `states` of loaded ones.',
    ),
})

/** Reply of `GET /readyz` while the server takes no requests, or is slowed. */
export const unready = z.object({
  status: z.enum(['starting', 'stopping', 'degraded']),
  reason: z.string(),
  missing: z
    .array(z.enum(['database', 'nats', 'storage']))
    .optional()
    .describe('Engines that are away.'),
})
