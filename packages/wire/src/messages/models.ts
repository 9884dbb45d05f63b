import * as z from 'zod'

/** One model as the messages format lists it. */
export const messagesModel = z.looseObject({
  type: z.literal('model'),
  id: z.string(),
  display_name: z.string(),
  /** RFC 3339. */
  created_at: z.string(),
})

/** Reply of `GET /v1/models` to a client of the messages format: one page. */
export const messagesModelList = z.looseObject({
  data: z.array(messagesModel),
  /** Whether another page follows in the direction that was asked for. */
  has_more: z.boolean(),
  first_id: z.string().nullable(),
  last_id: z.string().nullable(),
})

/** One model as the messages format lists it. */
export type MessagesModel = z.infer<typeof messagesModel>
/** Reply of `GET /v1/models` to a client of the messages format. */
export type MessagesModelList = z.infer<typeof messagesModelList>
