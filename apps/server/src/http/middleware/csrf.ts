import type { IncomingMessage } from 'node:http'
import { SvcError } from '@svc/errors'
import { type CorsPolicy, isAllowedOrigin } from './cors.ts'

const SAFE: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS'])

/**
 * Refuses state changes that a page elsewhere makes a browser send with the browser's own authority: cookies, or the
 * open door of a server without auth. Calls with a credential header are exempt: no page can add one unasked.
 *
 * @throws {SvcError} `forbidden` (403)
 */
export function checkCrossSite(incoming: IncomingMessage, policy: CorsPolicy): void {
  if (SAFE.has(incoming.method ?? 'GET')) return
  const { headers } = incoming
  if (headers.authorization !== undefined || headers['x-api-key'] !== undefined || headers['xi-api-key'] !== undefined)
    return
  if (headers['sec-fetch-site'] !== 'cross-site') return
  if (headers.origin !== undefined && policy.mode === 'list' && isAllowedOrigin(headers.origin, headers.host, policy))
    return
  throw new SvcError('forbidden', 'cross-site request refused', { code: 'cross_site' })
}
