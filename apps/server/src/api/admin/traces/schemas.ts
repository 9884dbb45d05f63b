import * as z from 'zod'

const text = (about: string) => z.string().optional().describe(about)

/** Query of the lists. */
export const pageQuery = z.object({
  limit: text('Traces of the page: 1 to 1000, or 0 for all; 50 when it is left out.'),
  offset: text('Traces before the page, the newest first.'),
  full: text('`true` adds the bodies of requests and replies.'),
})

/** Query of the summary. */
export const summaryQuery = z.object({ hours: text('Hours before now: 1 to 168; 24 when it is left out.') })
