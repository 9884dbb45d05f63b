import { responseInputItem } from '@svc/wire/responses'
import * as z from 'zod'

const startingAfter = z.string().optional().describe('Number of the last known event; later ones are sent.')

/** Query of the events of a response. */
export const eventQuery = z.object({ starting_after: startingAfter })

/** Query of a response. */
export const getQuery = z.object({
  stream: z.string().optional().describe('`true`: the events of the response.'),
  starting_after: startingAfter,
})

/** Query of the items that a response was asked. */
export const itemQuery = z.object({
  limit: z.string().optional().describe('1 to 100, 20 when it is left out.'),
  order: z.string().optional().describe('`asc`: the first item first.'),
  after: z.string().optional().describe('Id of the item before the first one listed.'),
})

/** A page of the items that a response was asked. */
export const inputItems = z.object({
  object: z.literal('list'),
  data: z.array(responseInputItem),
  first_id: z.string().nullable(),
  last_id: z.string().nullable(),
  has_more: z.boolean(),
})

/** Reply of `DELETE /v1/responses/:id`. */
export const deletedResponse = z.object({ id: z.string(), object: z.literal('response'), deleted: z.literal(true) })
