import type { AdminEmail } from '@svc/auth/accounts'
import { createSignIn, type SignInProvider } from '@svc/auth/oauth'
import type { RegistrationMode, User } from '@svc/auth/ports'
import { createServices } from './service-world.ts'
import { call } from './world.ts'

/** The address to which providers send browsers back. */
export const REDIRECT_URI = 'http://app.example/api/auth/callback'
/** The client that all providers know. */
export const CLIENT = { clientId: 'client', clientSecret: 'a secret of the client' }

/** Real time for tokens, and a monotonic clock that a test can move. */
export function createTokenClock() {
  const clock = { ahead: 0, now: () => Date.now(), monotonic: () => performance.now() + clock.ahead }
  return clock
}

/** Behaviour of a browser at the provider: it comes back with the URL that the provider has given it. */
export type Agree = (url: URL) => Promise<URL>

/** Sign-ins over services in memory. */
export function createSignInWorld(options: { readonly mode?: RegistrationMode; readonly admin?: AdminEmail } = {}) {
  const { mode = 'open', admin } = options
  /** Addresses of the accounts that have become admins by themselves. */
  const newAdmins: string[] = []
  const services = createServices(options)
  const { stores, hasher, revocations, clock } = services
  const signIn = createSignIn({
    users: stores.users,
    signIns: stores.signIns,
    hasher,
    revocations,
    clock,
    mode,
    admin,
    onNewAdmin: ({ email, role }) => newAdmins.push(`${email} ${role}`),
  })
  return {
    ...services,
    signIn,
    newAdmins,
    /** A whole sign-in of a browser that follows the given behaviour. */
    async signInAt(provider: SignInProvider, agree: Agree, inviteCode?: string): Promise<User> {
      const { url, browserToken } = await signIn.begin(provider, call)
      const { searchParams: parameters } = await agree(url)
      return (await signIn.complete(provider, { parameters, browserTokens: [browserToken], inviteCode }, call)).user
    },
    countUsers: async () => (await stores.users.list({ limit: 1000 }, call)).length,
  }
}
