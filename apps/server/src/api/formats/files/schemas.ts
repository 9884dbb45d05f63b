import * as z from 'zod'

/** Query of every list. */
export const pageQuery = z.object({
  limit: z.string().optional().describe('1 to 100, 20 when it is left out.'),
  order: z.string().optional().describe('`desc`: the newest first, as when it is left out; `asc`: the oldest first.'),
  after: z.string().optional().describe('Id of the item before the first one listed.'),
  before: z.string().optional().describe('Id of the item after the last one listed.'),
})

/** Query of the list of files. */
export const fileQuery = pageQuery.extend({ purpose: z.string().optional().describe('Only files of this purpose.') })

/** Query of the files of a vector store. */
export const storeFileQuery = pageQuery.extend({
  filter: z.string().optional().describe('Only files in this state: in_progress, completed, failed or cancelled.'),
})
