import * as z from 'zod'
import { DEFAULT_LIMIT } from './default-limit.ts'

const text = (about: string) => z.string().optional().describe(about)

/** The query of the list of events. */
export const eventQuery = z.object({
  correlation_id: text('Events of one request.'),
  user_id: text('Events of one user.'),
  pattern_id: text('Such as `ner:EMAIL`.'),
  kind: text(
    '`pii`, `proxy_connect`, `proxy_traffic`, `admission`, `administration`, `account`, or several with commas between. Without it changes are listed only if `change`, `target` or their origin is asked for.',
  ),
  origin: text('`middleware`, `proxy`, `pii_analyze`, `pii_redact`, `api` or `command`.'),
  change: text('A change by its name, such as `user.role`, or all of an area, such as `user`.'),
  target: text('What was changed: an id, or the name of a model or backend.'),
  since: text('The first moment, RFC 3339.'),
  until: text('The moment after the last one, RFC 3339.'),
  limit: text(`How many at most, ${DEFAULT_LIMIT} when it is left out.`),
})
