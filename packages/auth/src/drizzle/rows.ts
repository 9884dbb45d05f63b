import type { ApiKey, KeyBlock, KeyChange, KeyScopes, Session } from '../ports/credentials.ts'
import type { ModelAllowList, Provider, Role, User, UserStatus } from '../ports/users.ts'
import type { AuthTables } from './tables.ts'

type UserRow = AuthTables['users']['$inferSelect']
type KeyRow = AuthTables['apiKeys']['$inferSelect']
type SessionRow = AuthTables['sessions']['$inferSelect']

/** A row of accounts without the password's hash, which only the login reads. */
export type PublicUserRow = Omit<UserRow, 'passwordHash'>

function parseObject(text: string): Readonly<Record<string, unknown>> {
  const value: unknown = JSON.parse(text)
  return typeof value === 'object' && value !== null ? { ...value } : {}
}

const toNames = (value: unknown): readonly string[] =>
  Array.isArray(value) ? value.filter((entry) => typeof entry === 'string') : []

function toFeatures(text: string): Readonly<Record<string, boolean>> {
  return Object.fromEntries(Object.entries(parseObject(text)).map(([key, value]) => [key, value === true]))
}

function toAllowList(text: string): ModelAllowList {
  const { enabled, models } = parseObject(text)
  return { enabled: enabled === true, models: toNames(models) }
}

function toScopes(text: string): KeyScopes {
  const { routes, models, addresses } = parseObject(text)
  return {
    ...(routes === undefined ? {} : { routes: toNames(routes) }),
    ...(models === undefined ? {} : { models: toNames(models) }),
    ...(addresses === undefined ? {} : { addresses: toNames(addresses) }),
  }
}

/** A block of an unknown kind is one of an admin: it must not be lifted by the owner. */
function toBlock({ blockedBy, blockReason }: KeyRow): KeyBlock | undefined {
  return blockedBy === null ? undefined : { by: blockedBy === 'owner' ? 'owner' : 'admin', reason: blockReason }
}

const toRole = (text: string): Role => (text === 'admin' ? 'admin' : 'user')
/** An unknown status or provider gives no rights. */
const toStatus = (text: string): UserStatus => (text === 'active' || text === 'pending' ? text : 'disabled')
const toProvider = (text: string): Provider => (text === 'github' || text === 'oidc' ? text : 'local')

/** The columns of an account that leave the store. */
export function publicColumns({ users }: AuthTables) {
  const { id, email, emailVerified, name, avatarUrl, provider, subject, role, status, approved } = users
  const { features, allowedModels, createdAt, updatedAt } = users
  return {
    id,
    email,
    emailVerified,
    name,
    avatarUrl,
    provider,
    subject,
    role,
    status,
    approved,
    features,
    allowedModels,
    createdAt,
    updatedAt,
  }
}

/** An account of its row. */
export function toUser(row: PublicUserRow): User {
  return {
    ...row,
    emailVerified: row.emailVerified === 1,
    provider: toProvider(row.provider),
    role: toRole(row.role),
    status: toStatus(row.status),
    approved: row.approved === 1,
    features: toFeatures(row.features),
    allowedModels: toAllowList(row.allowedModels),
  }
}

/** The row of an account. */
export function toUserRow(user: User): PublicUserRow {
  return {
    ...user,
    emailVerified: user.emailVerified ? 1 : 0,
    approved: user.approved ? 1 : 0,
    features: JSON.stringify(user.features),
    allowedModels: JSON.stringify(user.allowedModels),
  }
}

/** A key of its row. */
export function toApiKey(row: KeyRow): ApiKey {
  const { hash: _, previousHash: __, blockedBy: ___, blockReason: ____, ...key } = row
  return {
    ...key,
    userId: row.userId === '' ? undefined : row.userId,
    role: toRole(row.role),
    scopes: toScopes(row.scopes),
    block: toBlock(row),
    createdBy: row.createdBy ?? undefined,
    expiresAt: row.expiresAt ?? undefined,
    lastUsedAt: row.lastUsedAt ?? undefined,
    rotatedAt: row.rotatedAt ?? undefined,
  }
}

/** The columns of a change of a key. */
export function toKeyColumns({ name, note, scopes, ...change }: KeyChange): Partial<KeyRow> {
  return {
    ...(name === undefined ? {} : { name }),
    ...(note === undefined ? {} : { note }),
    ...(scopes === undefined ? {} : { scopes: JSON.stringify(scopes) }),
    ...('expiresAt' in change ? { expiresAt: change.expiresAt ?? null } : {}),
    ...('block' in change ? { blockedBy: change.block?.by ?? null, blockReason: change.block?.reason ?? '' } : {}),
  }
}

/** A session of its row. */
export function toSession(row: SessionRow): Session {
  const { hash: _, previousHash: __, previousUntil: ___, ...session } = row
  return {
    ...session,
    userId: row.userId ?? undefined,
    sharedKeyHash: row.sharedKeyHash ?? undefined,
    apiKeyId: row.apiKeyId ?? undefined,
    providerSession: row.providerSession ?? undefined,
  }
}
