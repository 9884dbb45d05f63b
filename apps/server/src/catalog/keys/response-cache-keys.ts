import { about, flag, integerIn } from './fields.ts'

/** Longest life of a kept reply: 30 days. */
const MAX_TTL_SECONDS = 2_592_000

/** The `response_cache` block: replies that are kept for equal requests. */
export const RESPONSE_CACHE = {
  enabled: about(flag, 'Keep complete replies and answer equal requests of the same caller with them.'),
  ttl_seconds: about(
    integerIn({ min: 1, max: MAX_TTL_SECONDS }),
    'How long a reply is kept, in seconds. Default: 3600.',
  ),
  shared: about(
    flag,
    'Answer a request with a reply that another caller got. Default: only with replies of the caller.',
  ),
}
