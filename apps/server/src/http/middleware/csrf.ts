import { SvcError } from '@svc/errors'
import type { Call } from '../call.ts'
import { firstCredential, hasHeaderCredential } from './authenticate.ts'
import { type CorsPolicy, isAllowedOrigin } from './cors.ts'

const SAFE: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS'])

/** The parts of a call that the check reads. */
type CheckedCall = Pick<Call, 'incoming' | 'baseUrl' | 'route'>

/** A page that may act with the browser's own authority: of this server, of this machine, or on the operator's list. */
function isTrustedPage(origin: string, { incoming, baseUrl }: CheckedCall, policy: CorsPolicy): boolean {
  const { host } = incoming.headers
  if (URL.canParse(origin) && [host, new URL(baseUrl).host].includes(new URL(origin).host)) return true
  return policy.mode !== 'any' && isAllowedOrigin(origin, host, policy)
}

/** Reads where a page is, as its browser says. The origin goes first, as pages of one site need not trust each other. */
function comesFromElsewhere(call: CheckedCall, policy: CorsPolicy): boolean {
  const { origin, 'sec-fetch-site': site } = call.incoming.headers
  if (origin !== undefined && !isTrustedPage(origin, call, policy)) return true
  if (site === 'cross-site') return !(origin !== undefined && policy.mode === 'list')
  return site === 'same-site' && origin === undefined
}

/**
 * Refuses sockets that a page elsewhere opens with the browser's own authority: browsers ask nobody before they do.
 *
 * @throws {SvcError} `forbidden` (403)
 */
export function checkSocketOrigin(call: CheckedCall, policy: CorsPolicy): void {
  if (hasHeaderCredential(call.incoming)) return
  if (comesFromElsewhere(call, policy)) throw crossSite()
}

/**
 * Refuses state changes that a page elsewhere makes a browser send with the browser's own authority: cookies, or the
 * open door of a server without auth. Calls with a credential header are exempt: no page can add one unasked.
 *
 * @throws {SvcError} `forbidden` (403); `unsupported_media` (415) for a body with a cookie that no form could be kept
 *   from sending
 */
export function checkCrossSite(call: CheckedCall, policy: CorsPolicy): void {
  const { incoming, route } = call
  if (SAFE.has(incoming.method ?? 'GET')) return
  if (hasHeaderCredential(incoming)) return
  if (comesFromElsewhere(call, policy)) throw crossSite()
  const hasBody =
    incoming.headers['content-length'] !== '0' &&
    (incoming.headers['content-length'] ?? incoming.headers['transfer-encoding']) !== undefined
  if (!hasBody || firstCredential(incoming) === undefined) return
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
  return new SvcError('forbidden', 'cross-site request refused', {
    code: 'cross_site',
    details: { type: 'authorization_error' },
  })
}
