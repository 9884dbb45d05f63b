import { type IssuedSession, SESSION_LIFETIME_MS, type Sessions } from '@svc/auth'
import { type Call, pathPrefix } from './call.ts'

/** The path below which clients reach this server, as a cookie's attribute can have it. */
function cookiePath(call: Pick<Call, 'baseUrl'>): string {
  return pathPrefix(call).replaceAll(';', '%3B') || '/'
}

/**
 * A cookie of this server: for its own paths and not for those of other programs on the host, out of reach for scripts,
 * and not sent along by pages elsewhere.
 */
function formatCookie(
  call: Pick<Call, 'baseUrl'>,
  { name, value, maxAgeMs }: { readonly name: string; readonly value: string; readonly maxAgeMs: number },
): string {
  const secure = call.baseUrl.startsWith('https:') ? '; Secure' : ''
  return `${name}=${value}; Path=${cookiePath(call)}; Max-Age=${Math.floor(maxAgeMs / 1000)}; HttpOnly; SameSite=Lax${secure}`
}

/** Has the browser of a call keep a cookie. */
export function setCookie(
  call: Pick<Call, 'baseUrl' | 'outgoing'>,
  cookie: { readonly name: string; readonly value: string; readonly maxAgeMs: number },
): void {
  call.outgoing.appendHeader('Set-Cookie', formatCookie(call, cookie))
}

/** Has the browser of a call forget a cookie. */
export function clearCookie(call: Pick<Call, 'baseUrl' | 'outgoing'>, name: string): void {
  setCookie(call, { name, value: '', maxAgeMs: 0 })
}

/** Gives the browser of a call a session. */
export function setSession(call: Pick<Call, 'baseUrl' | 'outgoing'>, { token }: IssuedSession): void {
  setCookie(call, { name: 'session', value: token, maxAgeMs: SESSION_LIFETIME_MS })
}

/**
 * Gives the session of a call a new value when it is due. Of requests that come together one gets it, and the value
 * before goes on for a minute. A failure changes nothing: the next request tries again.
 */
export function createSessionRenewal(sessions: Pick<Sessions, 'rotate'>): (call: Call) => Promise<void> {
  return async (call) => {
    try {
      const renewed = await sessions.rotate(call.authentication, { signal: call.signal })
      if (renewed !== undefined) setSession(call, renewed)
    } catch (error) {
      call.log.warn({ err: error }, 'a session could not be given a new value')
    }
  }
}
