import { isCookie } from '@svc/auth'
import { checkAddress, readCookies } from '@svc/auth/access'
import { SvcError } from '@svc/errors'
import type { Call } from '../../http/call.ts'
import { json } from '../../http/json.ts'
import { defineRoute, type Route } from '../../http/route.ts'
import { clearCookie, setSession } from '../../http/session-cookies.ts'
import { describeOwner, describePrincipal } from './describe.ts'
import { readAcknowledgement, readFields, toPasswordRefusal } from './fields.ts'
import { ACCOUNT_ROUTE, type AccountParts, passwordsDisabled } from './parts.ts'

const schemas = () => import('./schemas.ts')

/** Further parts of the routes. */
export interface EntryParts extends AccountParts {
  readonly registrationMode: string
  /** The ways to sign in. */
  readonly providers: readonly string[]
  readonly hasSharedKeys: () => boolean
  readonly hasUsers: (call: Call) => Promise<boolean>
}

const anonymous = { ...ACCOUNT_ROUTE, access: 'none' } as const

/** The ways in and out: `status`, `register`, `login`, `token-login`, `logout`, and the check of an invite (§4.2). */
export function entryRoutes(parts: EntryParts): Route[] {
  return [statusRoute(parts), registerRoute(parts), loginRoute(parts), tokenLoginRoute(parts), ...otherRoutes(parts)]
}

function statusRoute(parts: EntryParts): Route {
  const { isInUse, providers, registrationMode, hasSharedKeys, hasUsers } = parts
  return defineRoute({
    ...anonymous,
    method: 'GET',
    path: '/api/auth/status',
    quiet: true,
    summary: 'How to sign in here, and who is signed in',
    responses: { 200: { description: 'The state of auth.', schema: async () => (await schemas()).statusReply } },
    handler: async (call) =>
      json({
        authEnabled: isInUse,
        staticApiKeyRequired: !isInUse && hasSharedKeys(),
        providers,
        hasUsers: isInUse && (await hasUsers(call)),
        registrationMode,
        user: ['user', 'service', 'legacy'].includes(call.principal.kind) ? describePrincipal(call.principal) : null,
      }),
  })
}

function registerRoute({ auth, bodies, attempts, hasPasswords }: EntryParts): Route {
  return defineRoute({
    ...anonymous,
    method: 'POST',
    path: '/api/auth/register',
    summary: 'Register an account with an address and a password',
    body: async () => (await schemas()).registrationForm,
    mapError: toPasswordRefusal,
    responses: {
      200: {
        description: 'The account waits for the approval of an admin.',
        schema: async () => (await schemas()).registeredReply,
      },
      201: { description: 'The account is there and signed in.', schema: async () => (await schemas()).signedInReply },
    },
    async handler(call) {
      if (!hasPasswords) throw passwordsDisabled('local registration is disabled')
      const fields = await readFields(call, bodies)
      const { email, password, name, inviteCode } = fields
      const form = { email, password, name, inviteCode, acknowledgesWeakPassword: readAcknowledgement(fields) }
      const registered = await attempts.registration(call, () => auth.accounts.register(form, call))
      switch (registered.kind) {
        case 'active':
          await auth.knownAddresses.note(registered.user, call.clientAddress, call)
          setSession(call, await auth.sessions.begin({ userId: registered.user.id }, call))
          return json({ user: describeOwner(registered.user) }, { status: 201 })
        case 'pending':
          return json({ message: 'registration successful, awaiting admin approval', pending: true })
        case 'processed':
          return json({ message: 'registration processed' }, { status: 201 })
      }
    },
  })
}

function loginRoute({ auth, bodies, attempts, hasPasswords }: EntryParts): Route {
  return defineRoute({
    ...anonymous,
    method: 'POST',
    path: '/api/auth/login',
    summary: 'Sign in with an address and a password',
    body: async () => (await schemas()).loginForm,
    responses: { 200: { description: 'Signed in.', schema: async () => (await schemas()).signedInReply } },
    async handler(call) {
      if (!hasPasswords) throw passwordsDisabled('local login is disabled, please use OAuth')
      const { email, password } = await readFields(call, bodies)
      const text = typeof email === 'string' ? email : ''
      const user = await attempts.signIn(call, email, async () => {
        const isFromKnownAddress = await auth.knownAddresses.isKnown(text, call.clientAddress, call)
        return auth.accounts.login({ email, password, isFromKnownAddress }, call)
      })
      const session = await auth.sessions.begin({ userId: user.id, passwordHash: user.passwordHash }, call)
      await auth.knownAddresses.note(user, call.clientAddress, call)
      setSession(call, session)
      return json({ user: describeOwner(user) })
    },
  })
}

function tokenLoginRoute({ auth, bodies, attempts }: EntryParts): Route {
  return defineRoute({
    ...anonymous,
    method: 'POST',
    path: '/api/auth/token-login',
    summary: 'Sign a browser in with an API key or a shared key',
    body: async () => (await schemas()).tokenForm,
    responses: { 200: { description: 'Signed in.', schema: async () => (await schemas()).signedInReply } },
    async handler(call) {
      const { token } = await readFields(call, bodies)
      if (typeof token !== 'string' || token.trim() === '')
        throw new SvcError('invalid_request', 'token is required', { code: 'token_required' })
      const found = await attempts.tokenSignIn(call, async () => {
        const holder = await auth.authenticator.verify({ carrier: 'bearer', value: token.trim() }, call)
        if (holder === undefined) throw new SvcError('unauthenticated', 'invalid token', { code: 'invalid_token' })
        checkAddress(holder.principal, call.clientAddress)
        return holder
      })
      setSession(call, await auth.sessions.exchange(found, call))
      const { id, name, role, account } = found.principal
      return json({ user: { id, ...(account === undefined ? {} : { email: account.email }), name, role } })
    },
  })
}

function otherRoutes({ auth, attempts }: EntryParts): Route[] {
  return [
    defineRoute({
      ...anonymous,
      method: 'GET',
      path: '/api/auth/invite/:code/check',
      summary: 'Whether an invite can be used',
      responses: { 200: { description: 'Whether it is valid.', schema: async () => (await schemas()).validReply } },
      async handler(call) {
        const code = call.param('code')
        return json({ valid: await attempts.inviteCheck(call, code, () => auth.invites.isValid(code, call)) })
      },
    }),
    defineRoute({
      ...ACCOUNT_ROUTE,
      access: 'any',
      method: 'POST',
      path: '/api/auth/logout',
      summary: 'End the session of the caller',
      responses: { 200: { description: 'Signed out.', schema: async () => (await schemas()).doneReply } },
      async handler(call) {
        for (const id of await findSessions(call, auth)) await auth.sessions.end(id, call)
        for (const name of ['session', 'token']) clearCookie(call, name)
        return json({ message: 'logged out' })
      },
    }),
  ]
}

/**
 * The sessions of a caller who signs out. A browser may hold several cookies of the name: each of them would sign it in
 * again.
 */
async function findSessions(call: Call, auth: AccountParts['auth']): Promise<ReadonlySet<string>> {
  const { principal, authentication } = call
  const ids = new Set(principal.sessionId === undefined ? [] : [principal.sessionId])
  if (authentication.credential === undefined || !isCookie(authentication.credential)) return ids
  for (const value of readCookies(call.incoming.headers, 'session')) {
    const found = await auth.authenticator.verify({ carrier: 'session-cookie', value }, call)
    if (found?.principal.sessionId !== undefined) ids.add(found.principal.sessionId)
  }
  return ids
}
