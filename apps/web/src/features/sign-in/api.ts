import { queryOptions } from '@tanstack/react-query'
import { api, unwrap } from '../../lib/api-client.ts'
import { queryClient } from '../../lib/query-client.ts'
import { renewSession, type Session, sessionQuery } from '../../lib/session.ts'

/** A form that opens an account. */
export interface Registration {
  readonly email: string
  readonly name: string
  readonly password: string
  readonly acceptsWeak: boolean
  readonly inviteCode: string
}

/** The result of a registration: signed in, waiting for an admin, or an address that may have an account already. */
export type Registered = 'signed-in' | 'pending' | 'processed'

/** Signs in with an address and a password. */
export async function signIn(form: { readonly email: string; readonly password: string }): Promise<void> {
  await unwrap(api.POST('/api/auth/login', { body: { ...form } }))
  await renewSession()
}

/** Signs in with an API key or a shared key. */
export async function signInWithToken(token: string): Promise<void> {
  await unwrap(api.POST('/api/auth/token-login', { body: { token } }))
  await renewSession()
}

/** Opens an account. The server never reveals whether an address is known, so only the session shows the result. */
export async function register({ email, name, password, acceptsWeak, inviteCode }: Registration): Promise<Registered> {
  const reply = await unwrap(
    api.POST('/api/auth/register', {
      body: {
        email,
        password,
        ...(name === '' ? {} : { name }),
        ...(inviteCode === '' ? {} : { inviteCode }),
        ...(acceptsWeak ? { acknowledge_weak_password: true } : {}),
      },
    }),
  )
  if ('pending' in reply && reply.pending === true) return 'pending'
  await renewSession()
  return readSession()?.viewer.kind === 'account' ? 'signed-in' : 'processed'
}

function readSession(): Session | undefined {
  return queryClient.getQueryData(sessionQuery.queryKey)
}

/** Whether an invite can still be used. */
export const inviteQuery = (code: string) =>
  queryOptions({
    queryKey: ['invite', code],
    queryFn: async ({ signal }) =>
      (await unwrap(api.GET('/api/auth/invite/{code}/check', { params: { path: { code } }, signal }))).valid,
  })
