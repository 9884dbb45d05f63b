import type { ApiKeyDraft, ApiKeys } from '@svc/auth'
import type { ApiKey } from '@svc/auth/ports'
import type { ChangeNotes } from '../../http/route-audit.ts'
import { formatTime } from './describe.ts'
import { type Fields, refuseUnknown } from './fields.ts'

/** The members of the form of a new key. */
export const KEY_FIELDS: readonly string[] = ['name', 'note', 'expiresIn', 'expiresAt', 'scopes']

type ApiKeyEdit = Parameters<ApiKeys['editAny']>[1]

/** Scopes of any form: the library checks them. */
type Scopes = ApiKeyDraft['scopes']

/** The fields of a new key, for the library to check. */
export function readKeyDraft({ name, note, expiresIn, expiresAt, scopes }: Fields): ApiKeyDraft {
  return { name, note, expiresIn, expiresAt, scopes: scopes as Scopes }
}

/** The changes of a key, for the library to check. @throws {SvcError} `unknown_field` */
export function readKeyEdit(fields: Fields): ApiKeyEdit {
  refuseUnknown(fields, [...KEY_FIELDS, 'blocked', 'blockReason'])
  const { blocked: isBlocked, blockReason, ...rest } = fields
  return { ...readKeyDraft(rest), isBlocked, blockReason }
}

/** The limits of a key, for the audit log. */
export function describeLimits({ scopes: { routes, models, addresses }, expiresAt }: ApiKey): string {
  const limits = [
    ...(expiresAt === undefined ? [] : [`until ${formatTime(expiresAt)}`]),
    ...(routes === undefined ? [] : [`routes ${routes.join(', ')}`]),
    ...(models === undefined ? [] : [`models ${models.join(', ')}`]),
    ...(addresses === undefined ? [] : [`addresses ${addresses.join(', ')}`]),
  ]
  return limits.join('; ') || 'no limits'
}

/** What an edit has changed, for the audit log. An edit that blocks or unblocks a key has a name of its own. */
export function describeEdit(
  { isBlocked, name, note, scopes, expiresAt, expiresIn }: ApiKeyEdit,
  key: ApiKey,
): ChangeNotes & { readonly name: string } {
  const hasLimits = [scopes, expiresAt, expiresIn].some((field) => field !== undefined)
  const parts = [
    ...(isBlocked === undefined ? [] : [isBlocked === true ? 'blocked' : 'unblocked']),
    ...(name === undefined ? [] : ['name']),
    ...(note === undefined ? [] : ['note']),
    ...(hasLimits ? [describeLimits(key)] : []),
  ]
  return {
    ...(isBlocked === undefined ? {} : { change: 'key.block' }),
    name: key.name,
    details: parts.join('; '),
  }
}
