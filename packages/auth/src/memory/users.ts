import { decideAdmission } from '../accounts/admission.ts'
import type { ChangeOutcome, Registration, RegistrationOutcome, User, UserStore } from '../ports/users.ts'
import { dropRule } from '../quotas/memory-ledger.ts'
import { joinDefaultGroups } from './groups.ts'
import { removeLimitsOf } from './limits.ts'
import { byAge, type MemoryState, removeWhere, takePage } from './state.ts'

type StoredUser = User & { readonly passwordHash: string | undefined }

function toUser({ passwordHash: _, ...user }: StoredUser): User {
  return user
}

function register(state: MemoryState, registration: Registration): RegistrationOutcome {
  const { user, inviteHash, now } = registration
  for (const { provider, subject } of state.users.values())
    if (provider === user.provider && subject === user.subject) return { kind: 'taken' }
  const invite = [...state.invites.values()].find(
    ({ hash, usedAt, expiresAt }) => hash === inviteHash && usedAt === undefined && expiresAt > now,
  )
  const isFirst = state.users.size === 0
  const admission = decideAdmission({
    isFirst,
    isAdmin: registration.isAdmin,
    mode: registration.mode,
    hasInvite: inviteHash !== undefined,
    isInviteValid: invite !== undefined,
  })
  if (admission.kind !== 'admitted') return admission
  if (admission.consumesInvite && invite !== undefined)
    state.invites.set(invite.id, { ...invite, usedBy: user.id, usedAt: now })
  const created: User = { ...user, ...admission.user }
  state.users.set(user.id, { ...created, passwordHash: registration.passwordHash })
  joinDefaultGroups(state, user.id)
  return { kind: 'created', user: created, isFirst }
}

/** Whether an account is the only active admin. */
function isLastAdmin(state: MemoryState, id: string): boolean {
  const admins = [...state.users.values()].filter(({ role, status }) => role === 'admin' && status === 'active')
  return admins.length === 1 && admins[0]?.id === id
}

function removeUser(state: MemoryState, id: string): ChangeOutcome {
  if (!state.users.has(id)) return 'missing'
  if (isLastAdmin(state, id)) return 'last-admin'
  state.users.delete(id)
  removeWhere(state.sessions, ({ userId }) => userId === id)
  for (const key of state.apiKeys.values()) if (key.userId === id) removeLimitsOf(state, 'key', key.id)
  removeLimitsOf(state, 'account', id)
  removeWhere(state.apiKeys, ({ userId }) => userId === id)
  removeWhere(state.knownAddresses, ({ userId }) => userId === id)
  removeWhere(state.memberships, ({ userId }) => userId === id)
  removeWhere(state.invites, ({ createdBy }) => createdBy === id)
  for (const invite of state.invites.values())
    if (invite.usedBy === id) state.invites.set(invite.id, { ...invite, usedBy: undefined })
  for (const rule of [...state.rules.values()]) {
    if (rule.userId !== id) continue
    state.rules.delete(rule.id)
    dropRule(state, rule.id)
  }
  for (const record of state.records) if (record.userId === id) state.recordIds.delete(record.id)
  state.records = state.records.filter(({ userId }) => userId !== id)
  removeWhere(state.sums, ({ userId }) => userId === id)
  removeWhere(state.labelSums, ({ userId }) => userId === id)
  state.revision += 1
  return 'changed'
}

/** Accounts in memory. */
export function createMemoryUsers(state: MemoryState): UserStore {
  const change = (id: string, fields: Partial<StoredUser>): boolean => {
    const user = state.users.get(id)
    if (user === undefined) return false
    state.users.set(id, { ...user, ...fields })
    return true
  }
  /** Makes a change that takes rights away, or may do so. */
  const revoke = (id: string, fields: Partial<StoredUser>): boolean => {
    const isChanged = change(id, fields)
    if (isChanged) state.revision += 1
    return isChanged
  }
  const guarded = (id: string, isLoss: boolean, fields: Partial<StoredUser>): ChangeOutcome => {
    if (isLoss && isLastAdmin(state, id)) return 'last-admin'
    return revoke(id, fields) ? 'changed' : 'missing'
  }
  const find = (isWanted: (user: StoredUser) => boolean): StoredUser | undefined =>
    [...state.users.values()].find(isWanted)
  return {
    register: async (registration) => register(state, registration),
    async findById(id) {
      const user = state.users.get(id)
      return user === undefined ? undefined : toUser(user)
    },
    async findLocal(email) {
      const found = find(({ provider, subject }) => provider === 'local' && subject === email)
      return found?.passwordHash === undefined ? undefined : { user: toUser(found), passwordHash: found.passwordHash }
    },
    async findBySubject({ provider, subject }) {
      const found = find((user) => user.provider === provider && user.subject === subject)
      return found === undefined ? undefined : toUser(found)
    },
    list: async (page) => takePage([...state.users.values()].sort(byAge).map(toUser), page),
    async readLastSeen(ids) {
      const seen = new Map<string, number>()
      const note = (id: string | undefined, at: number | undefined): void => {
        if (id === undefined || at === undefined || !ids.includes(id)) return
        seen.set(id, Math.max(seen.get(id) ?? 0, at))
      }
      for (const { userId, rotatedAt } of state.sessions.values()) note(userId, rotatedAt)
      for (const { userId, lastUsedAt } of state.apiKeys.values()) note(userId, lastUsedAt)
      return seen
    },
    hasUsers: async () => state.users.size > 0,
    async setProfile(id, { name, avatarUrl, emailVerified, now }) {
      return revoke(id, {
        ...(name === undefined ? {} : { name }),
        ...(avatarUrl === undefined ? {} : { avatarUrl }),
        ...(emailVerified === undefined ? {} : { emailVerified }),
        updatedAt: now,
      })
    },
    setRole: async (id, { role, now }) => guarded(id, role === 'user', { role, updatedAt: now }),
    async setStatus(id, { status, now }) {
      const approval = status === 'active' ? { approved: true } : {}
      return guarded(id, status === 'disabled', { status, ...approval, updatedAt: now })
    },
    setFeatures: async (id, { features, now }) => revoke(id, { features, updatedAt: now }),
    setAllowedModels: async (id, { allowedModels, now }) => revoke(id, { allowedModels, updatedAt: now }),
    async setPassword(id, { passwordHash, from, now }) {
      const user = state.users.get(id)
      const isMeant = user?.provider === 'local' && (from === undefined || user.passwordHash === from)
      if (!isMeant || !revoke(id, { passwordHash, updatedAt: now })) return false
      removeWhere(state.sessions, ({ userId }) => userId === id)
      removeWhere(state.knownAddresses, ({ userId }) => userId === id)
      return true
    },
    async replacePasswordHash(id, { from, to }) {
      return state.users.get(id)?.passwordHash === from && change(id, { passwordHash: to })
    },
    remove: async (id) => removeUser(state, id),
  }
}
