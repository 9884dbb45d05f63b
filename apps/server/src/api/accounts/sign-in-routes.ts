import { readCookies } from '@svc/auth/access'
import type { OidcProvider, SignIn, SignInProvider } from '@svc/auth/oauth'
import { SvcError } from '@svc/errors'
import { type Call, pathPrefix } from '../../http/call.ts'
import type { HttpReply } from '../../http/http-reply.ts'
import { defineRoute, type Route } from '../../http/route.ts'
import { clearCookie, setCookie, setSession } from '../../http/session-cookies.ts'
import { wantsPage } from '../../http/wants-page.ts'
import { failSignIn, redirect } from './failed-sign-in.ts'
import { ACCOUNT_ROUTE, type AccountParts } from './parts.ts'
import { signedInPage } from './plain-page.ts'

/** The providers by the names in their addresses; undefined where one is not configured. */
export interface SignInProviders {
  readonly github: () => SignInProvider | undefined
  readonly oidc: () => OidcProvider | undefined
}

/** Further parts of the routes. */
export interface SignInParts extends AccountParts {
  readonly signIn: SignIn
  readonly signInProviders: SignInProviders
  /** Whether the server has the pages of the interface. */
  readonly hasPages: boolean
}

const STATE_COOKIE = 'oauth_state'
const INVITE_COOKIE = 'invite_code'
/** Form of an invite code. Longer texts are not codes. */
const INVITE = /^[\w-]{1,128}$/
/** Takes the place of a text that cannot be a code, so that it is refused like any other wrong code. */
const NO_INVITE = 'invalid'

const anonymous = { ...ACCOUNT_ROUTE, access: 'none', method: 'GET' } as const

/** Sign-in at the code host and at the OIDC issuer: `login` sends the browser there, `callback` takes it back (§4.2). */
export function signInRoutes(parts: SignInParts): Route[] {
  return (['github', 'oidc'] as const).flatMap((name) => [loginRoute(name, parts), callbackRoute(name, parts)])
}

function loginRoute(name: keyof SignInProviders, parts: SignInParts): Route {
  const { signIn, attempts } = parts
  return defineRoute({
    ...anonymous,
    path: `/api/auth/${name}/login`,
    summary: `Sign in at the ${TITLES[name]}`,
    responses: { 307: { description: 'On to the provider; a browser that cannot go there, back to the form.' } },
    handler: (call) =>
      attempt(call, name, parts, async (provider) => {
        const { url, browserToken, maxAgeMs } = await attempts.departure(call, () => signIn.begin(provider, call))
        setCookie(call, { name: STATE_COOKIE, value: browserToken, maxAgeMs })
        const invite = call.query('invite_code')?.trim() ?? ''
        if (invite !== '')
          setCookie(call, { name: INVITE_COOKIE, value: INVITE.test(invite) ? invite : NO_INVITE, maxAgeMs })
        else if (readCookies(call.incoming.headers, INVITE_COOKIE).length > 0) clearCookie(call, INVITE_COOKIE)
        return redirect(url.href)
      }),
  })
}

function callbackRoute(name: keyof SignInProviders, parts: SignInParts): Route {
  const { auth, signIn, attempts } = parts
  return defineRoute({
    ...anonymous,
    path: `/api/auth/${name}/callback`,
    summary: `Where the ${TITLES[name]} sends browsers back to`,
    responses: { 307: { description: 'Signed in, on to the pages; a browser that is not, back to the form.' } },
    handler: (call) =>
      attempt(call, name, parts, async (provider) => {
        const callback = {
          parameters: new URLSearchParams((call.incoming.url ?? '').split('?').slice(1).join('?')),
          browserTokens: readCookies(call.incoming.headers, STATE_COOKIE),
          inviteCode: await findInvite(call, parts),
        }
        for (const cookie of [STATE_COOKIE, INVITE_COOKIE]) clearCookie(call, cookie)
        const { user, providerSession } = await attempts.arrival(call, () => signIn.complete(provider, callback, call))
        setSession(call, await auth.sessions.begin({ userId: user.id, providerSession }, call))
        if (!parts.hasPages && wantsPage(call.incoming.headers.accept)) return signedInPage()
        return redirect(`${pathPrefix(call)}/app`)
      }),
  })
}

/** Runs a step of a sign-in at a provider; a browser for which it fails goes back to the form. */
async function attempt(
  call: Call,
  name: keyof SignInProviders,
  { signInProviders, hasPages }: SignInParts,
  work: (provider: SignInProvider) => Promise<HttpReply>,
): Promise<HttpReply> {
  try {
    return await work(requireProvider(signInProviders[name]()))
  } catch (error) {
    return failSignIn(call, error, { provider: name, hasPages })
  }
}

/** The invite code that a browser brings. Of several cookies one that holds: another program may use the name too. */
async function findInvite(call: Call, { auth }: SignInParts): Promise<string | undefined> {
  const codes = readCookies(call.incoming.headers, INVITE_COOKIE)
  if (codes.length > 1) for (const code of codes) if (await auth.invites.isValid(code, call)) return code
  return codes[0]
}

const TITLES = { github: 'code host', oidc: 'OIDC issuer' } as const

/** The provider of a route. @throws {SvcError} `not_found` where it is not configured */
export function requireProvider<T>(provider: T | undefined): T {
  if (provider !== undefined) return provider
  throw new SvcError('not_found', 'this way to sign in is not configured', { code: 'provider_missing' })
}
