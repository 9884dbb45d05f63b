import type {
  FoundSession,
  Invite,
  InviteStore,
  KnownAddressStore,
  Session,
  SessionStore,
  SignInStore,
  UsedTokenStore,
} from '../ports/credentials.ts'
import { toKey } from './api-keys.ts'
import {
  byAge,
  findOwner,
  type MemoryState,
  removeExpired,
  removeWhere,
  type StoredInvite,
  type StoredSession,
  takePage,
} from './state.ts'

function toSession(stored: StoredSession): Session {
  const { hash: _, previousHash: __, previousUntil: ___, ...session } = stored
  return session
}

/** Browser sessions in memory. */
export function createMemorySessions(state: MemoryState): SessionStore {
  const toFound = (stored: StoredSession | undefined, isCurrent: boolean): FoundSession | undefined => {
    if (stored === undefined) return undefined
    const key = stored.apiKeyId === undefined ? undefined : state.apiKeys.get(stored.apiKeyId)
    return {
      session: toSession(stored),
      user: findOwner(state, stored.userId),
      apiKey: key === undefined ? undefined : toKey(key),
      isCurrent,
      previousUntil: stored.previousUntil,
    }
  }
  const hasValue = ({ apiKeyId = '', createdAt }: Session, hash: string): boolean => {
    const key = state.apiKeys.get(apiKeyId)
    return key?.hash === hash || (key?.previousHash === hash && key.previousUntil > createdAt)
  }
  const raise = (count: number): number => {
    if (count > 0) state.revision += 1
    return count
  }
  return {
    async create(session, { maxSessions, passwordHash, keyHash }) {
      if (passwordHash !== undefined && state.users.get(session.userId ?? '')?.passwordHash !== passwordHash)
        return false
      if (keyHash !== undefined && !hasValue(session, keyHash)) return false
      state.sessions.set(session.id, { ...session, previousHash: undefined, previousUntil: 0 })
      const own = [...state.sessions.values()].filter(
        ({ userId, sharedKeyHash }) => userId === session.userId && sharedKeyHash === session.sharedKeyHash,
      )
      for (const { id } of own.sort(byAge).slice(0, Math.max(0, own.length - maxSessions))) state.sessions.delete(id)
      return true
    },
    async findByHash(hash) {
      const found = [...state.sessions.values()].find((one) => one.hash === hash || one.previousHash === hash)
      return toFound(found, found?.hash === hash)
    },
    findById: async (id) => toFound(state.sessions.get(id), true),
    async rotate({ id, from, to, now, previousUntil }) {
      const session = state.sessions.get(id)
      if (session?.hash !== from) return false
      state.sessions.set(id, { ...session, hash: to, previousHash: from, previousUntil, rotatedAt: now })
      return true
    },
    remove: async (id) => raise(state.sessions.delete(id) ? 1 : 0) > 0,
    async removeByUser(userId, { except = '' }) {
      const kept = state.sessions.get(except)
      if (kept?.userId === userId) state.sessions.set(except, { ...kept, previousHash: undefined, previousUntil: 0 })
      return raise(removeWhere(state.sessions, (session) => session.userId === userId && session.id !== except))
    },
    removeByProvider: async ({ userId, providerSession }) =>
      raise(
        removeWhere(
          state.sessions,
          (session) =>
            (userId === undefined || session.userId === userId) && session.providerSession === providerSession,
        ),
      ),
    removeExpired: async (limits) => removeExpired(state.sessions, limits),
  }
}

/** Invites in memory. */
export function createMemoryInvites(state: MemoryState): InviteStore {
  const toPerson = (id: string | undefined): Invite['createdBy'] => {
    const user = findOwner(state, id)
    return user === undefined ? undefined : { id: user.id, name: user.name }
  }
  const toInvite = ({ hash: _, createdBy, usedBy, ...invite }: StoredInvite): Invite => ({
    ...invite,
    createdBy: toPerson(createdBy),
    usedBy: toPerson(usedBy),
  })
  return {
    async create(invite) {
      state.invites.set(invite.id, { ...invite, usedBy: undefined, usedAt: undefined })
    },
    list: async (page) => takePage([...state.invites.values()].sort(byAge).reverse().map(toInvite), page),
    async isValid({ hash, now }) {
      const invite = [...state.invites.values()].find((one) => one.hash === hash)
      return invite !== undefined && invite.usedAt === undefined && invite.expiresAt > now
    },
    async revoke(id) {
      const invite = state.invites.get(id)
      if (invite === undefined) return 'missing'
      if (invite.usedAt !== undefined) return 'used'
      state.invites.delete(id)
      return 'revoked'
    },
  }
}

/** Sign-ins under way, in memory. */
export function createMemorySignIns(state: MemoryState): SignInStore {
  return {
    async begin({ hash, now, expiresAt }, { maxRunning }) {
      for (const [key, until] of [...state.signIns]) if (until <= now) state.signIns.delete(key)
      if (state.signIns.size >= maxRunning) return false
      state.signIns.set(hash, expiresAt)
      return true
    },
    async consume({ hash, now }) {
      const until = state.signIns.get(hash)
      return state.signIns.delete(hash) && until !== undefined && until > now
    },
  }
}

/** Tokens that were used, in memory. */
export function createMemoryUsedTokens(state: MemoryState): UsedTokenStore {
  return {
    isUsed: async ({ hash, now }) => (state.usedTokens.get(hash) ?? 0) > now,
    async use({ hash, now, expiresAt }) {
      for (const [key, until] of [...state.usedTokens]) if (until <= now) state.usedTokens.delete(key)
      state.usedTokens.set(hash, expiresAt)
    },
  }
}

/** Addresses of accounts, in memory. */
export function createMemoryKnownAddresses(state: MemoryState): KnownAddressStore {
  const { knownAddresses } = state
  return {
    async note({ hash, userId, now }, { maxAddresses }) {
      knownAddresses.delete(hash)
      knownAddresses.set(hash, { userId, usedAt: now })
      const own = [...knownAddresses].filter(([, use]) => use.userId === userId)
      for (const [key] of own.slice(0, Math.max(0, own.length - maxAddresses))) knownAddresses.delete(key)
    },
    isKnown: async ({ hash, since }) => (knownAddresses.get(hash)?.usedAt ?? Number.NEGATIVE_INFINITY) >= since,
    async removeOld({ before, limit }) {
      const old = [...knownAddresses].filter(([, { usedAt }]) => usedAt < before).slice(0, limit)
      for (const [key] of old) knownAddresses.delete(key)
      return old.length
    },
  }
}
