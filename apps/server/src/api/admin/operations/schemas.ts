import * as z from 'zod'

/** Reply of `DELETE /api/operations/history`. */
export const historyCleared = z.object({ success: z.literal(true) })
