import type { Principal } from '@svc/auth'
import { FEATURES, resolveFeatures } from '@svc/auth/access'
import type { ApiKey, FoundKey, Group, Invite, User } from '@svc/auth/ports'
import type { QuotaStatus } from '@svc/auth/quotas'

/** A time as replies have it. */
export function formatTime(milliseconds: number): string {
  return new Date(milliseconds).toISOString()
}

/** Every feature switch with whether it is on. @param on undefined for a caller who has all */
function describeFeatures(on: ReadonlySet<string> | undefined): Readonly<Record<string, boolean>> {
  return Object.fromEntries(FEATURES.map(({ key }) => [key, on?.has(key) ?? true]))
}

/** The features of an account, as they work. */
export function describePermissions(
  { role, features }: Pick<User, 'role' | 'features'>,
  groups: readonly Pick<Group, 'features'>[] = [],
) {
  return describeFeatures(role === 'admin' ? undefined : resolveFeatures(features, groups))
}

/** The groups of an account; absent where there are none. */
function toGroupList(groups: readonly Pick<Group, 'id' | 'name'>[]) {
  return groups.length === 0 ? {} : { groups: groups.map(({ id, name }) => ({ id, name })) }
}

/** A caller as `me` and `status` show it. */
export function describePrincipal(principal: Principal) {
  const { id, name, role, account, features, groups = [], groupNames = [] } = principal
  return {
    id,
    email: account?.email ?? '',
    name,
    avatarUrl: account?.avatarUrl ?? '',
    role,
    provider: account?.provider ?? '',
    permissions: describeFeatures(features),
    ...toGroupList(groups.map((groupId, at) => ({ id: groupId, name: groupNames[at] ?? '' }))),
  }
}

/** An account as it is shown to its owner after a sign-in. */
export function describeOwner({ id, email, name, role }: Pick<User, 'id' | 'email' | 'name' | 'role'>) {
  return { id, email, name, role }
}

/** An account as admins see it. */
export function describeUser(user: User, groups: readonly Group[] = []) {
  const { id, email, name, avatarUrl, role, status, provider, createdAt, allowedModels } = user
  return {
    id,
    email,
    name,
    avatarUrl,
    role,
    status,
    provider,
    createdAt: formatTime(createdAt),
    permissions: describePermissions(user, groups),
    allowed_models: allowedModels,
    ...toGroupList(groups),
  }
}

/** The use of an account. */
interface AccountUse {
  /** When it was seen last; undefined for never. */
  readonly seenAt: number | undefined
  readonly quotas: readonly QuotaStatus[]
  readonly groups: readonly Group[]
}

/** An account of the list that admins see, with its use. */
export function describeListed(user: User, { seenAt, quotas, groups }: AccountUse) {
  return {
    ...describeUser(user, groups),
    lastSeen: seenAt === undefined ? null : formatTime(seenAt),
    quotas: quotas.map(describeQuota),
  }
}

/** A key without its value. */
export function describeKey(key: ApiKey) {
  const { id, name, note, prefix, role, scopes, block, createdAt, expiresAt, lastUsedAt } = key
  const { rotatedAt, previousUntil } = key
  const hasScopes = Object.values(scopes).some((list) => list !== undefined)
  return {
    id,
    name,
    keyPrefix: prefix,
    role,
    createdAt: formatTime(createdAt),
    lastUsed: lastUsedAt === undefined ? null : formatTime(lastUsedAt),
    ...(expiresAt === undefined ? {} : { expiresAt: formatTime(expiresAt) }),
    ...(hasScopes ? { scopes } : {}),
    ...(note === '' ? {} : { note }),
    ...(block === undefined ? {} : { blocked: true, blockedBy: block.by, blockReason: block.reason }),
    ...(rotatedAt === undefined ? {} : { rotatedAt: formatTime(rotatedAt) }),
    ...(previousUntil === 0 ? {} : { previousValidUntil: formatTime(previousUntil) }),
  }
}

/** A key as admins see it. */
export function describeManagedKey({ key, user }: FoundKey) {
  return {
    ...describeKey(key),
    user: user === undefined ? null : { id: user.id, name: user.name, email: user.email },
    createdBy: key.createdBy ?? null,
  }
}

/** An invite without its code. */
export function describeInvite({ id, prefix, note, createdAt, expiresAt, usedAt, createdBy, usedBy }: Invite) {
  return {
    id,
    codePrefix: prefix,
    note,
    expiresAt: formatTime(expiresAt),
    createdAt: formatTime(createdAt),
    usedAt: usedAt === undefined ? null : formatTime(usedAt),
    createdBy: createdBy ?? null,
    usedBy: usedBy ?? null,
  }
}

/** A quota with its count. */
export function describeQuota(status: QuotaStatus) {
  const { id, model, maxRequests, maxTokens, window, requests, tokens, resetsAt } = status
  return {
    id,
    model: model ?? '',
    max_requests: maxRequests ?? null,
    max_total_tokens: maxTokens ?? null,
    window,
    current_requests: requests,
    current_total_tokens: tokens,
    resets_at: formatTime(resetsAt),
  }
}
