import { MitmError } from './errors.ts'
import type { RawHeaders } from './headers.ts'

/** The header with which servers of svc count how many of them a request has passed. */
export const HOP_HEADER = 'x-svc-hop'
const MAX_HOPS = 4

/**
 * Refuses a request that has passed too many servers.
 *
 * @param hops the value of {@link HOP_HEADER}
 * @throws {SvcError} `proxy_loop`, kind `loop`
 */
export function checkHops(hops: string | undefined, message = TOO_MANY): void {
  if (Number(hops ?? 0) >= MAX_HOPS) throw new MitmError('loop', message, { code: 'proxy_loop' })
}

const TOO_MANY = `the request has passed more than ${MAX_HOPS} servers: it goes round in a circle`

/** Counts this server where the request has passed others of its kind. */
export function countHop(headers: RawHeaders): RawHeaders {
  return headers.map((text, index) =>
    index % 2 === 1 && headers[index - 1]?.toLowerCase() === HOP_HEADER ? String(Number(text) + 1) : text,
  )
}
