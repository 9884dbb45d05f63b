import { readCookie } from '@svc/auth/access'
import type { SignIn, SignInProvider } from '@svc/auth/oauth'
import { SvcError } from '@svc/errors'
import { type Call, pathPrefix } from '../../http/call.ts'
import { HttpReply } from '../../http/http-reply.ts'
import { defineRoute, type Route } from '../../http/route.ts'
import { clearCookie, setCookie, setSession } from '../../http/session-cookies.ts'
import { ACCOUNT_ROUTE, type AccountParts } from './parts.ts'

/** The providers by the names that stand in their addresses; undefined where one is not configured. */
export type SignInProviders = Readonly<Record<'github' | 'oidc', () => SignInProvider | undefined>>

/** Further parts of the routes. */
export interface SignInParts extends AccountParts {
  readonly signIn: SignIn
  readonly signInProviders: SignInProviders
}

const STATE_COOKIE = 'oauth_state'
const INVITE_COOKIE = 'invite_code'
/** Longer texts are no codes. */
const INVITE = /^[\w-]{1,128}$/
const INVITE_FAULTS: ReadonlySet<string> = new Set(['invite_required', 'invalid_invite'])

const anonymous = { ...ACCOUNT_ROUTE, access: 'none', method: 'GET' } as const

/** Sign-in at the code host and at the OIDC issuer: `login` sends the browser there, `callback` takes it back (§4.2). */
export function signInRoutes(parts: SignInParts): Route[] {
  return (['github', 'oidc'] as const).flatMap((name) => [loginRoute(name, parts), callbackRoute(name, parts)])
}

function loginRoute(name: keyof SignInProviders, { signIn, signInProviders, attempts }: SignInParts): Route {
  return defineRoute({
    ...anonymous,
    path: `/api/auth/${name}/login`,
    summary: `Sign in at the ${TITLES[name]}`,
    responses: { 307: { description: 'On to the provider.' } },
    async handler(call) {
      const provider = requireProvider(signInProviders[name]())
      const { url, browserToken, maxAgeMs } = await attempts.departure(call, () => signIn.begin(provider, call))
      setCookie(call, { name: STATE_COOKIE, value: browserToken, maxAgeMs })
      const invite = call.query('invite_code') ?? ''
      if (INVITE.test(invite)) setCookie(call, { name: INVITE_COOKIE, value: invite, maxAgeMs })
      else if (readCookie(call.incoming.headers, INVITE_COOKIE) !== undefined) clearCookie(call, INVITE_COOKIE)
      return redirect(url.href)
    },
  })
}

function callbackRoute(name: keyof SignInProviders, parts: SignInParts): Route {
  const { auth, signIn, signInProviders, attempts } = parts
  return defineRoute({
    ...anonymous,
    path: `/api/auth/${name}/callback`,
    summary: `Where the ${TITLES[name]} sends browsers back to`,
    responses: { 307: { description: 'Signed in; on to the pages.' } },
    async handler(call) {
      const provider = requireProvider(signInProviders[name]())
      const callback = {
        parameters: new URLSearchParams((call.incoming.url ?? '').split('?').slice(1).join('?')),
        browserToken: readCookie(call.incoming.headers, STATE_COOKIE),
        inviteCode: readCookie(call.incoming.headers, INVITE_COOKIE),
      }
      for (const cookie of [STATE_COOKIE, INVITE_COOKIE]) clearCookie(call, cookie)
      try {
        const { user, providerSession } = await attempts.arrival(call, () => signIn.complete(provider, callback, call))
        setSession(call, await auth.sessions.begin({ userId: user.id, providerSession }, call))
        return redirect(`${pathPrefix(call)}/app`)
      } catch (error) {
        return failSignIn(call, error)
      }
    },
  })
}

/** Sends a browser without a valid invite back to the form; everything else is an error of the call. */
function failSignIn(call: Call, error: unknown): HttpReply {
  if (!SvcError.is(error)) throw error
  if (INVITE_FAULTS.has(error.code)) return redirect(`${pathPrefix(call)}/login?error=${error.code}`)
  if (error.cause !== undefined) call.log.warn({ code: error.code, err: error.cause }, 'a sign-in has failed')
  if (error.code !== 'user_info_failed') throw error
  throw new SvcError('internal', error.message, { code: error.code, cause: error })
}

const TITLES = { github: 'code host', oidc: 'OIDC issuer' } as const

function redirect(location: string): HttpReply {
  return new HttpReply(null, { status: 307, headers: { location, 'cache-control': 'no-store' } })
}

function requireProvider(provider: SignInProvider | undefined): SignInProvider {
  if (provider !== undefined) return provider
  throw new SvcError('not_found', 'this way to sign in is not configured', { code: 'provider_missing' })
}
