import type { Principal } from '@svc/auth'
import { json } from '../../http/json.ts'
import { defineRoute, type Route } from '../../http/route.ts'
import { setSession } from '../../http/session-cookies.ts'
import { describePrincipal, describeQuota } from './describe.ts'
import { readAcknowledgement, readFields, toPasswordRefusal } from './fields.ts'
import { ACCOUNT_ROUTE, type AccountParts, passwordsDisabled, requireAccount } from './parts.ts'

const schemas = () => import('./schemas.ts')

const own = { ...ACCOUNT_ROUTE, access: 'any' } as const

/** The caller's own account: `me`, `quota`, `profile`, `password` and `sessions`. */
export function ownRoutes(parts: AccountParts): Route[] {
  return [...readRoutes(parts), profileRoute(parts), passwordRoute(parts), sessionsRoute(parts)]
}

function readRoutes({ auth }: AccountParts): Route[] {
  const readQuotas = async ({ kind, id }: Principal, call: { readonly signal: AbortSignal }) =>
    kind === 'user' ? (await auth.quotas.readStatus(id, call)).map(describeQuota) : []
  return [
    defineRoute({
      ...own,
      method: 'GET',
      path: '/api/auth/me',
      summary: 'Who the caller is and what the caller may do',
      responses: { 200: { description: 'The caller.', schema: async () => (await schemas()).meReply } },
      handler: async (call) =>
        json({ ...describePrincipal(call.principal), quotas: await readQuotas(call.principal, call) }),
    }),
    defineRoute({
      ...own,
      method: 'GET',
      path: '/api/auth/quota',
      summary: 'What is left of the quotas of the caller',
      responses: { 200: { description: 'The quotas.', schema: async () => (await schemas()).quotasReply } },
      handler: async (call) => json({ quotas: await readQuotas(call.principal, call) }),
    }),
  ]
}

function profileRoute({ auth, bodies }: AccountParts): Route {
  return defineRoute({
    ...own,
    method: 'PUT',
    path: '/api/auth/profile',
    summary: 'Change the name and the picture of the own account',
    audit: { change: 'account.profile' },
    body: async () => (await schemas()).profileForm,
    responses: { 200: { description: 'Changed.', schema: async () => (await schemas()).profileReply } },
    async handler(call) {
      const id = requireAccount(call.principal)
      const { name, avatar_url: avatar } = await readFields(call, bodies)
      const user = await auth.accounts.setProfile(id, { name, avatarUrl: avatar }, call)
      return json({ message: 'profile updated', name: user.name, avatarUrl: user.avatarUrl })
    },
  })
}

function passwordRoute({ auth, bodies, attempts, hasPasswords }: AccountParts): Route {
  return defineRoute({
    ...own,
    method: 'PUT',
    path: '/api/auth/password',
    summary: 'Change the own password and end every session',
    audit: { change: 'account.password' },
    body: async () => (await schemas()).ownPasswordForm,
    mapError: toPasswordRefusal,
    responses: {
      200: { description: 'Changed; a browser gets a new session.', schema: async () => (await schemas()).doneReply },
    },
    async handler(call) {
      const id = requireAccount(call.principal)
      if (!hasPasswords) throw passwordsDisabled('local passwords are disabled')
      const fields = await readFields(call, bodies)
      const email = call.principal.account?.email ?? ''
      const form = {
        currentPassword: fields.current_password,
        password: fields.new_password,
        acknowledgesWeakPassword: readAcknowledgement(fields),
      }
      const { passwordHash } = await attempts.signIn(call, email, () => auth.accounts.changePassword(id, form, call))
      const isBrowser = call.principal.via === 'session'
      const session = isBrowser ? await auth.sessions.begin({ userId: id, passwordHash }, call) : undefined
      await auth.knownAddresses.note({ id, email }, call.clientAddress, call)
      if (session !== undefined) setSession(call, session)
      return json({ message: 'password updated' })
    },
  })
}

function sessionsRoute({ auth }: AccountParts): Route {
  return defineRoute({
    ...own,
    method: 'DELETE',
    path: '/api/auth/sessions',
    summary: 'End all other sessions of the own account',
    audit: { change: 'account.sessions' },
    responses: {
      200: {
        description: 'Ended; a browser gets its session under a new value.',
        schema: async () => (await schemas()).doneReply,
      },
    },
    async handler(call) {
      const id = requireAccount(call.principal)
      const renewed = await auth.sessions.rotate(call.authentication, call)
      if (renewed !== undefined) setSession(call, renewed)
      await auth.sessions.endOthers(id, { signal: call.signal, except: call.principal.sessionId })
      return json({ message: 'all other sessions revoked' })
    },
  })
}
