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
