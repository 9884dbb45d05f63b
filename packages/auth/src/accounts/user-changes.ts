import { isFeature } from '../access/features.ts'
import { isAvatarUrl, MAX_AVATAR_LENGTH } from '../avatar.ts'
import { checkName, checkNames, checkText } from '../check-text.ts'
import { invalidValue } from '../errors.ts'
import type { CallOptions, Clock } from '../ports/clock.ts'
import type { ModelAllowList, ProfileChange, User, UserStore } from '../ports/users.ts'
import type { Revocations } from '../revocations.ts'
import { checkOutcome, readUser, userMissing } from './stored-user.ts'

/** Changes of accounts, their rights and their end. */
export interface UserChanges {
  /** Changes only name and picture of the account; ignores other fields of the form. */
  setProfile(
    id: string,
    form: { readonly name?: unknown; readonly avatarUrl?: unknown },
    options: CallOptions,
  ): Promise<User>
  setRole(
    id: string,
    change: { readonly role: unknown; readonly actorId: string | undefined },
    options: CallOptions,
  ): Promise<void>
  /** `active` lets a waiting account in, or a disabled one again. */
  setStatus(
    id: string,
    change: { readonly status: unknown; readonly actorId: string | undefined },
    options: CallOptions,
  ): Promise<void>
  setFeatures(id: string, features: unknown, options: CallOptions): Promise<Readonly<Record<string, boolean>>>
  setAllowedModels(id: string, allowList: unknown, options: CallOptions): Promise<ModelAllowList>
  remove(id: string, change: { readonly actorId: string | undefined }, options: CallOptions): Promise<void>
}

/** Dependencies of the changes of accounts. */
export interface UserChangesOptions {
  readonly users: UserStore
  readonly clock: Pick<Clock, 'now'>
  readonly revocations: Revocations
}

const MAX_NAME_LENGTH = 200

function readProfile({ name, avatarUrl }: { readonly name?: unknown; readonly avatarUrl?: unknown }): ProfileChange {
  return {
    name: checkName(name, { name: 'name', maxLength: MAX_NAME_LENGTH }),
    ...(avatarUrl === undefined ? {} : { avatarUrl: readAvatarUrl(avatarUrl) }),
  }
}

function readAvatarUrl(value: unknown): string {
  const text = checkText(value, { name: 'avatar_url', maxLength: MAX_AVATAR_LENGTH, isOptional: true })
  if (text !== '' && !isAvatarUrl(text)) throw invalidValue('avatar_url must be an https address')
  return text
}

function readFeatures(value: unknown): Readonly<Record<string, boolean>> {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw invalidValue('permissions must be an object of switches')
  return Object.fromEntries(
    Object.entries(value).map(([key, isOn]: [string, unknown]) => {
      if (!isFeature(key)) throw invalidValue('permissions name an unknown feature')
      if (typeof isOn !== 'boolean') throw invalidValue(`permissions.${key} must be true or false`)
      return [key, isOn]
    }),
  )
}

function readAllowList(value: unknown): ModelAllowList {
  if (typeof value !== 'object' || value === null || !('enabled' in value) || typeof value.enabled !== 'boolean')
    throw invalidValue('enabled must be true or false')
  const models = 'models' in value && value.models !== undefined && value.models !== null ? value.models : []
  return { enabled: value.enabled, models: checkNames(models, 'models') }
}

/** Changes accounts in their store. Publishes a revocation after each change. */
export function createUserChanges({ users, clock, revocations }: UserChangesOptions): UserChanges {
  const revoke = (userId: string): void => revocations.publish({ kind: 'user', userId })

  return {
    async setProfile(id, form, call) {
      const isChanged = await users.setProfile(id, { ...readProfile(form), now: clock.now() }, call)
      if (!isChanged) throw userMissing()
      revoke(id)
      return readUser(users, id, call)
    },
    async setRole(id, { role, actorId }, call) {
      if (id === actorId) throw invalidValue('cannot change your own role', 'own_account')
      if (role !== 'admin' && role !== 'user') throw invalidValue("role must be 'admin' or 'user'")
      checkOutcome(await users.setRole(id, { role, now: clock.now() }, call))
      revoke(id)
    },
    async setStatus(id, { status, actorId }, call) {
      if (id === actorId) throw invalidValue('cannot change your own status', 'own_account')
      if (status !== 'active' && status !== 'disabled') throw invalidValue("status must be 'active' or 'disabled'")
      checkOutcome(await users.setStatus(id, { status, now: clock.now() }, call))
      revoke(id)
    },
    async setFeatures(id, value, call) {
      const features = readFeatures(value)
      if (!(await users.setFeatures(id, { features, now: clock.now() }, call))) throw userMissing()
      revoke(id)
      return features
    },
    async setAllowedModels(id, value, call) {
      const allowedModels = readAllowList(value)
      if (!(await users.setAllowedModels(id, { allowedModels, now: clock.now() }, call))) throw userMissing()
      revoke(id)
      return allowedModels
    },
    async remove(id, { actorId }, call) {
      if (id === actorId) throw invalidValue('cannot delete yourself', 'own_account')
      checkOutcome(await users.remove(id, call))
      revoke(id)
    },
  }
}
