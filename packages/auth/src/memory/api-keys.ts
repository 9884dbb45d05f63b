import type { ApiKey, ApiKeyStore, FoundKey, KeyAddress, KeyFilter } from '../ports/credentials.ts'
import { removeLimitsOf } from './limits.ts'
import { byAge, findOwner, type MemoryState, removeExpired, removeWhere, type StoredKey, takePage } from './state.ts'

/** A key without the hashes of its values. */
export function toKey({ hash: _, previousHash: __, ...key }: StoredKey): ApiKey {
  return key
}

function isListed(key: ApiKey, { userId, isService, isBlocked, text }: KeyFilter): boolean {
  const wanted = text?.toLowerCase() ?? ''
  return (
    (userId === undefined || key.userId === userId) &&
    (isService === undefined || isService === (key.userId === undefined)) &&
    (isBlocked === undefined || isBlocked === (key.block !== undefined)) &&
    [key.name, key.note, key.prefix].some((field) => field.toLowerCase().includes(wanted))
  )
}

/** Keys of users and services in memory. */
export function createMemoryApiKeys(state: MemoryState): ApiKeyStore {
  const toFound = (key: StoredKey | undefined, isCurrent = true): FoundKey[] => {
    if (key === undefined) return []
    const user = findOwner(state, key.userId)
    return user === undefined && key.userId !== undefined ? [] : [{ key: toKey(key), user, isCurrent }]
  }
  const take = ({ id, userId }: KeyAddress): StoredKey | undefined => {
    const key = state.apiKeys.get(id)
    return key?.userId === userId ? key : undefined
  }
  const put = (key: StoredKey): true => {
    state.apiKeys.set(key.id, key)
    state.revision += 1
    return true
  }
  const newestFirst = () => [...state.apiKeys.values()].sort(byAge).reverse()
  return {
    async create(key, { maxKeys }) {
      const count = [...state.apiKeys.values()].filter(({ userId }) => userId === key.userId).length
      if ((key.userId !== undefined && !state.users.has(key.userId)) || count >= maxKeys) return false
      state.apiKeys.set(key.id, { ...key, previousHash: undefined })
      return true
    },
    async findByHash(hash) {
      const key = [...state.apiKeys.values()].find((one) => one.hash === hash || one.previousHash === hash)
      return toFound(key, key?.hash === hash)[0]
    },
    findById: async (id) => toFound(state.apiKeys.get(id))[0],
    async listByUser(id, page) {
      const own = newestFirst().filter(({ userId }) => userId === id)
      return takePage(own.map(toKey), page)
    },
    async list({ after, limit, ...filter }) {
      const listed = newestFirst().filter((key) => isListed(key, filter))
      return takePage(listed, { after, limit }).flatMap((key) => toFound(key))
    },
    async edit(address, change, { keepsAdminBlock = false }) {
      const key = take(address)
      if (key === undefined || (keepsAdminBlock && key.block?.by === 'admin')) return false
      const { name = key.name, note = key.note, scopes = key.scopes } = change
      return put({ ...key, ...change, name, note, scopes })
    },
    async rotate(address, { from, to, now, previousUntil }) {
      const key = take(address)
      if (key?.prefix !== from) return false
      const { rotatedAt = 0 } = key
      removeWhere(
        state.sessions,
        ({ apiKeyId, createdAt, expiresAt }) =>
          apiKeyId === key.id && (createdAt <= rotatedAt || expiresAt <= key.previousUntil),
      )
      const previousHash = previousUntil > now ? key.hash : undefined
      const { hash, prefix } = to
      return put({ ...key, hash, prefix, previousHash, previousUntil, rotatedAt: now })
    },
    async remove(address) {
      if (take(address) === undefined) return false
      state.apiKeys.delete(address.id)
      removeLimitsOf(state, 'key', address.id)
      removeWhere(state.sessions, ({ apiKeyId }) => apiKeyId === address.id)
      state.revision += 1
      return true
    },
    async touch(uses) {
      for (const { id, at } of uses) {
        const key = state.apiKeys.get(id)
        if (key !== undefined && at > (key.lastUsedAt ?? 0)) state.apiKeys.set(id, { ...key, lastUsedAt: at })
      }
    },
    removeExpired: async (limits) => removeExpired(state.apiKeys, limits),
  }
}
