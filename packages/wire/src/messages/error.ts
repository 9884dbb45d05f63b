import * as z from 'zod'

/** The error body of the messages format, also its in-band event; only the HTTP line has the status. */
export const messagesErrorReply = z.looseObject({
  type: z.literal('error'),
  error: z.looseObject({ type: z.string(), message: z.string() }),
})

/** The error body of the messages format. */
export type MessagesErrorReply = z.infer<typeof messagesErrorReply>
