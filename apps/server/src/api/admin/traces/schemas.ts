import * as z from 'zod'

const text = (about: string) => z.string().optional().describe(about)

/** The page and the filters of both lists. */
const listQuery = {
  limit: text('Traces of the page: 1 to 1000, or 0 for all; 50 when it is left out.'),
  offset: text('Traces before the page, the newest first.'),
  full: text('`true` adds the bodies of requests and replies.'),
  model: text('Only this model, as it was asked for or as it served.'),
  correlation_id: text('Only this request.'),
  min_duration_ms: text('Only what took this many milliseconds or more.'),
  since: text('Only what began at this time or later: `2026-01-31T09:30:00Z`.'),
  until: text('Only what began before this time.'),
  q: text('Only traces with this text in a name, an id, the path or the error, in any case.'),
}

/** Query of the list of requests. */
export const requestListQuery = z.object({
  ...listQuery,
  status: text('Classes such as `5xx`, codes such as `404`, or `running`; several with commas between them.'),
  user: text('Only this account, by id or name.'),
})

/** Query of the list of calls to backends. */
export const callListQuery = z.object({
  ...listQuery,
  status: text('`running`, `completed` or `failed`.'),
  type: text('Only this kind of call, such as `llm`.'),
})

/** Query of the summary. */
export const summaryQuery = z.object({ hours: text('Hours before now: 1 to 168; 24 when it is left out.') })
