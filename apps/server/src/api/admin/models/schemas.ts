import * as z from 'zod'

/** Reply of `POST /models/reload`. */
export const reloadReply = z.object({
  success: z.boolean(),
  message: z.string(),
  pending_cleanup: z.int(),
  details: z.array(z.string()).optional(),
})
