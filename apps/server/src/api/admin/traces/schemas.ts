import * as z from 'zod'

const text = (about: string) => z.string().optional().describe(about)

/** The filters of both lists. */
const filters = {
  model: text('Only this model, as it was asked for or as it served.'),
  correlation_id: text('Only this request.'),
  min_duration_ms: text('Only what took this many milliseconds or more.'),
  since: text('Only what began at this time or later: `2026-01-31T09:30:00Z`.'),
  until: text('Only what began before this time.'),
  q: text('Only traces with this text in a name, an id, the path or the error, in any case.'),
}

/** The page of a list. */
const page = {
  limit: text('Traces of the page: 1 to 1000, or 0 for all; 50 when it is left out.'),
  offset: text('Traces before the page, the newest first.'),
  full: text('`true` adds the bodies of requests and replies.'),
}

/** The filters of requests. */
const requestFilters = {
  ...filters,
  status: text(
    'Classes such as `5xx`, codes such as `404`, `failed` for what the summary counts as an error, or `running`; several with commas between them. Statuses below 400 leave out streams that failed.',
  ),
  user: text('Only this account, by id or name.'),
}

/** Query of the list of requests. */
export const requestListQuery = z.object({ ...page, ...requestFilters })

/** Query of the list of calls to backends. */
export const callListQuery = z.object({
  ...page,
  ...filters,
  status: text('`running`, `completed` or `failed`.'),
  type: text('Only this kind of call, such as `llm`.'),
})

/** Query of the summary. */
export const summaryQuery = z.object({
  ...requestFilters,
  hours: text('Hours before now: 1 to 168; 24 when it is left out.'),
})
