import { endSessionsByToken } from '@svc/auth/oauth'
import type { Stores } from '@svc/auth/ports'
import { SvcError } from '@svc/errors'
import type { Call } from '../../http/call.ts'
import { HttpReply } from '../../http/http-reply.ts'
import { json } from '../../http/json.ts'
import { defineRoute, type Route } from '../../http/route.ts'
import type { Clock } from '../../ports.ts'
import { ACCOUNT_ROUTE } from './parts.ts'
import { requireProvider, type SignInParts } from './sign-in-routes.ts'

const schemas = () => import('./schemas.ts')

/** Parts of the route. */
export interface LogoutParts extends Pick<SignInParts, 'auth' | 'bodies' | 'attempts' | 'signInProviders'> {
  readonly stores: Pick<Stores, 'users' | 'usedTokens'>
  readonly clock: Pick<Clock, 'now'>
}

const FORM = 'application/x-www-form-urlencoded'
/** A form with a token of 64 KiB. */
const MAX_FORM_BYTES = 80 * 1024
const NO_STORE = { 'cache-control': 'no-store' }

/**
 * Route at which the OIDC issuer reports that somebody has signed out there (OpenID Connect Back-Channel Logout 1.0).
 * The issuer calls it, and needs no credentials: the token in its form is signed.
 */
export function logoutRoute({ auth, bodies, attempts, signInProviders, stores, clock }: LogoutParts): Route {
  const { hasher, sessions } = auth
  const { users, usedTokens } = stores
  return defineRoute({
    ...ACCOUNT_ROUTE,
    access: 'none',
    method: 'POST',
    path: '/api/auth/oidc/backchannel-logout',
    summary: 'Where the OIDC issuer ends sessions (back-channel logout)',
    body: async () => (await schemas()).logoutForm,
    bodyType: FORM,
    responses: {
      200: { description: 'The sessions have ended.' },
      400: { description: 'The token does not hold.', schema: async () => (await schemas()).refusedLogoutReply },
    },
    async handler(call) {
      const provider = requireProvider(signInProviders.oidc())
      try {
        await attempts.arrival(call, async () => {
          const token = await readToken(call, bodies)
          return endSessionsByToken(token, { provider, users, sessions, usedTokens, hasher, clock }, call)
        })
        return new HttpReply(null, { status: 200, headers: NO_STORE })
      } catch (error) {
        if (!SvcError.is(error) || error.kind !== 'invalid_request') throw error
        call.log.warn({ code: error.code, err: error.cause ?? error }, 'a logout of the OIDC issuer is refused')
        return json({ error: 'invalid_request', error_description: error.message }, { status: 400, headers: NO_STORE })
      }
    },
  })
}

/** The logout token of a form. @throws {SvcError} `invalid_request`, `unsupported_media`, `too_large` */
async function readToken(call: Call, bodies: LogoutParts['bodies']): Promise<string> {
  const [type = ''] = (call.incoming.headers['content-type'] ?? '').split(';')
  if (type.trim().toLowerCase() !== FORM)
    throw new SvcError('unsupported_media', `the body must be ${FORM}`, { code: 'content_type' })
  const held = await bodies.read(call, { maxBytes: MAX_FORM_BYTES })
  try {
    const [token, ...others] = new URLSearchParams(Buffer.from(held.bytes).toString('utf8')).getAll('logout_token')
    if (token !== undefined && token !== '' && others.length === 0) return token
    throw new SvcError('invalid_request', 'logout_token is required, once', { code: 'invalid_body' })
  } finally {
    held.release()
  }
}
