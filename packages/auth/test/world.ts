import { setMaxListeners } from 'node:events'
import type { Registration, Stores, User } from '@svc/auth/ports'

const { signal } = new AbortController()
// a thousand calls at once listen to it
setMaxListeners(0, signal)

/** A signal that never aborts, for calls of ports. */
export const call: { readonly signal: AbortSignal } = { signal }

/** A registration of a local account. */
export function registration(
  email: string,
  changes: Partial<Omit<Registration, 'user'>> & { readonly user?: Partial<Registration['user']> } = {},
): Registration {
  const { user, ...rest } = changes
  return {
    mode: 'open',
    passwordHash: 'hash',
    inviteHash: undefined,
    isAdmin: false,
    now: 1000,
    ...rest,
    user: {
      id: `id-of-${email}`,
      email,
      emailVerified: false,
      name: email,
      avatarUrl: '',
      provider: 'local',
      subject: email,
      features: {},
      allowedModels: { enabled: false, models: [] },
      createdAt: 1000,
      updatedAt: 1000,
      ...user,
    },
  }
}

/** Registers an account that must be let in. */
export async function addUser(stores: Stores, ...parts: Parameters<typeof registration>): Promise<User> {
  const outcome = await stores.users.register(registration(...parts), call)
  if (outcome.kind !== 'created') throw new Error(outcome.kind)
  return outcome.user
}

/** The fields of a key that has no more than it needs. */
export const EMPTY_KEY = {
  note: '',
  block: undefined,
  createdBy: undefined,
  rotatedAt: undefined,
  previousUntil: 0,
} as const
