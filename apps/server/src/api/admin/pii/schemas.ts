import * as z from 'zod'
import { DEFAULT_LIMIT } from './default-limit.ts'

const text = (about: string) => z.string().optional().describe(about)

/** The query of the list of events. */
export const eventQuery = z.object({
  correlation_id: text('Events of one request.'),
  user_id: text('Events of one user.'),
  pattern_id: text('Such as `ner:EMAIL`.'),
  kind: text('`pii`, `proxy_connect`, `proxy_traffic` or `admission`.'),
  origin: text('`middleware`, `proxy`, `pii_analyze` or `pii_redact`.'),
  limit: text(`How many at most, ${DEFAULT_LIMIT} when it is left out.`),
})
