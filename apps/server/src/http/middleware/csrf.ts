import { SvcError } from '@svc/errors'
import type { ServerRequest } from '../messages.ts'
import { extractCredential } from './authenticate.ts'
import { type CorsPolicy, isAllowedOrigin } from './cors.ts'

const SAFE: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS'])
const BODY_TYPES = /^\s*(?:application\/json|multipart\/form-data)\s*(?:;|$)/i

/** A page that may act with the browser's own authority: of this server, of this machine, or on the operator's list. */
function isTrustedPage(origin: string, host: string | undefined, policy: CorsPolicy): boolean {
  if (policy.mode === 'any') return URL.canParse(origin) && new URL(origin).host === host
  return isAllowedOrigin(origin, host, policy)
}

function comesFromElsewhere({ headers }: ServerRequest, policy: CorsPolicy): boolean {
  const trusted = headers.origin !== undefined && isTrustedPage(headers.origin, headers.host, policy)
  const site = headers['sec-fetch-site']
  if (site === 'cross-site') return !(trusted && policy.mode === 'list')
  return site === undefined && headers.origin !== undefined && !trusted
}

/**
 * Refuses sockets that a page elsewhere opens with the browser's own authority: browsers ask nobody before they do.
 *
 * @throws {SvcError} `forbidden` (403)
 */
export function checkSocketOrigin(incoming: ServerRequest, policy: CorsPolicy): void {
  const credential = extractCredential(incoming)
  if (credential !== undefined && credential.carrier !== 'token-cookie') return
  if (comesFromElsewhere(incoming, policy)) throw crossSite()
}

/**
 * Refuses state changes that a page elsewhere makes a browser send with the browser's own authority: cookies, or the
 * open door of a server without auth. Calls with a credential header are exempt: no page can add one unasked.
 *
 * @throws {SvcError} `forbidden` (403); `unsupported_media` (415) for a body with a cookie that no form could be kept
 *   from sending
 */
export function checkCrossSite(incoming: ServerRequest, policy: CorsPolicy): void {
  if (SAFE.has(incoming.method ?? 'GET')) return
  const credential = extractCredential(incoming)
  if (credential !== undefined && credential.carrier !== 'token-cookie') return
  if (comesFromElsewhere(incoming, policy)) throw crossSite()
  const hasBody =
    incoming.headers['content-length'] !== '0' &&
    (incoming.headers['content-length'] ?? incoming.headers['transfer-encoding']) !== undefined
  if (credential !== undefined && hasBody && !BODY_TYPES.test(incoming.headers['content-type'] ?? '')) {
    throw new SvcError(
      'unsupported_media',
      'a body sent with a cookie must be application/json or multipart/form-data',
      {
        code: 'content_type',
      },
    )
  }
}

function crossSite(): SvcError {
  return new SvcError('forbidden', 'cross-site request refused', { code: 'cross_site' })
}
