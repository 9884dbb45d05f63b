import type { SortOrder } from '../../components/ui/sort-header.tsx'

export type UserColumn = 'name' | 'role' | 'created' | 'seen'

/** Search parameters of the list of users. */
export interface UsersSearch {
  readonly q?: string
  readonly role?: 'admin' | 'user'
  readonly status?: 'active' | 'disabled'
  readonly sort?: UserColumn
  readonly desc?: boolean
  readonly page?: number
  /** The account whose rights are open. */
  readonly user?: string
}

const isAmong = <Value extends string>(value: unknown, values: readonly Value[]): value is Value =>
  values.some((each) => each === value)

/** Reads a page number; ignores any other value. */
function readPage(value: unknown): { page?: number } {
  return typeof value === 'number' && Number.isInteger(value) && value > 1 ? { page: value } : {}
}

/** Reads a text. The router turns a text of digits into a number. */
function readText(value: unknown): string | undefined {
  if (typeof value === 'number') return String(value)
  return typeof value === 'string' && value !== '' ? value : undefined
}

export function readUsersSearch({ q, role, status, sort, desc, page, user }: Record<string, unknown>): UsersSearch {
  const [text, id] = [readText(q), readText(user)]
  return {
    ...(text !== undefined && { q: text }),
    ...(isAmong(role, ['admin', 'user']) && { role }),
    ...(isAmong(status, ['active', 'disabled']) && { status }),
    ...(isAmong(sort, ['name', 'role', 'created', 'seen']) && { sort }),
    ...(desc === true && { desc }),
    ...readPage(page),
    ...(id !== undefined && { user: id }),
  }
}

/** The order of the list; the oldest account comes first unless another order was chosen. */
export function readOrder({ sort = 'created', desc = false }: UsersSearch): SortOrder<UserColumn> {
  return { by: sort, descending: desc }
}

export type InviteState = 'unused' | 'used' | 'expired'

/** Search parameters of the list of invites. */
export interface InvitesSearch {
  readonly state?: InviteState
  readonly page?: number
}

export function readInvitesSearch({ state, page }: Record<string, unknown>): InvitesSearch {
  return { ...(isAmong(state, ['unused', 'used', 'expired']) && { state }), ...readPage(page) }
}

export const KEY_STATES = ['active', 'blocked', 'expired'] as const
export type KeyState = (typeof KEY_STATES)[number]

/** Search parameters of the list of keys. */
export interface KeysSearch {
  readonly state?: KeyState
  readonly page?: number
}

export function readKeysSearch({ state, page }: Record<string, unknown>): KeysSearch {
  return { ...(isAmong(state, KEY_STATES) && { state }), ...readPage(page) }
}
