import { type Authentication, extractCredentials, isCookie } from '@svc/auth'
import { SvcError } from '@svc/errors'
import type { Call } from '../call.ts'
import { type CorsPolicy, isListedOrigin, isOwnOrigin } from './cors.ts'

const SAFE: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS'])

/** The parts of a call that the check reads. */
type CheckedCall = Pick<Call, 'incoming' | 'baseUrl' | 'route'> & {
  readonly authentication: Pick<Authentication, 'credential'>
}

/**
 * Whether a header let the caller in: no page elsewhere knows its value. A header that nobody looked at, as on a server
 * without auth, proves nothing: any page can send one.
 */
function isLetInByHeader({ credential }: CheckedCall['authentication']): boolean {
  return credential !== undefined && !isCookie(credential)
}

/**
 * Whether a page elsewhere sent a call, as its browser says. The origin goes first, as pages of one site need not trust
 * each other. A call without an origin is of a program, unless its browser says otherwise.
 */
function comesFromElsewhere({ incoming, baseUrl }: CheckedCall, policy: CorsPolicy): boolean {
  const { origin, host, 'sec-fetch-site': site } = incoming.headers
  if (origin === undefined) return site === 'cross-site' || site === 'same-site'
  if (policy.mayAct && isListedOrigin(origin, policy)) return false
  const base = URL.canParse(baseUrl) ? new URL(baseUrl).host : undefined
  return site === 'cross-site' || !(isOwnOrigin(origin, host) || isOwnOrigin(origin, base))
}

/**
 * Refuses sockets that a page elsewhere opens with the browser's own authority: browsers ask nobody before they do.
 *
 * @throws {SvcError} `forbidden` (403)
 */
export function checkSocketOrigin(call: CheckedCall, policy: CorsPolicy): void {
  if (isLetInByHeader(call.authentication)) return
  if (comesFromElsewhere(call, policy)) throw crossSite()
}

/**
 * Refuses state changes that a page elsewhere makes a browser send with the browser's own authority: cookies, or the
 * open door of a server without auth. Calls that a credential in a header let in are exempt.
 *
 * @throws {SvcError} `forbidden` (403); `unsupported_media` (415) for a body with a cookie that no form could be kept
 *   from sending
 */
export function checkCrossSite(call: CheckedCall, policy: CorsPolicy): void {
  const { incoming, route } = call
  if (SAFE.has(incoming.method ?? 'GET')) return
  if (isLetInByHeader(call.authentication)) return
  if (comesFromElsewhere(call, policy)) throw crossSite()
  const hasBody =
    incoming.headers['content-length'] !== '0' &&
    (incoming.headers['content-length'] ?? incoming.headers['transfer-encoding']) !== undefined
  const [credential] = extractCredentials(incoming.headers)
  if (!hasBody || credential === undefined || !isCookie(credential)) return
  const [type = ''] = (incoming.headers['content-type'] ?? '').split(';')
  const wanted = listBodyTypes(route)
  if (wanted.includes(type.trim().toLowerCase())) return
  throw new SvcError('unsupported_media', `a body sent with a cookie must be ${wanted.join(' or ')}`, {
    code: 'content_type',
  })
}

/** The media types of bodies that a route takes beside a cookie. */
function listBodyTypes({ form, bodyType }: CheckedCall['route']): readonly string[] {
  const types = ['application/json', ...(form === true ? ['multipart/form-data'] : [])]
  return bodyType === undefined || types.includes(bodyType) ? types : [...types, bodyType]
}

function crossSite(): SvcError {
  return new SvcError(
    'forbidden',
    'cross-site request refused: the operator can allow its page with --cors-allow-origins',
    {
      code: 'cross_site',
      details: { type: 'authorization_error' },
    },
  )
}
