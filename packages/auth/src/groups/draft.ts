import { isFeature } from '../access/features.ts'
import { checkModelExists } from '../check-model.ts'
import { checkName, checkNames, checkText } from '../check-text.ts'
import { invalidValue } from '../errors.ts'
import type { Group } from '../ports/groups.ts'
import type { ModelAllowList } from '../ports/users.ts'

/** A group as a form has it. In a change, absent fields stay. */
export interface GroupDraft {
  readonly name?: unknown
  readonly note?: unknown
  readonly isDefault?: unknown
  /** Switches of features; null: none. */
  readonly features?: unknown
  /** `{ enabled, models }`; null: the group says nothing about models. */
  readonly allowedModels?: unknown
}

const MAX_NAME_LENGTH = 100
const MAX_NOTE_LENGTH = 1000
const NO_MODELS: ModelAllowList = { enabled: false, models: [] }

type HasModel = ((name: string) => boolean) | undefined

/** The fields of a group that a draft decides. */
type GroupFields = Omit<Group, 'id' | 'createdAt'>

function readFeatures(value: unknown): Readonly<Record<string, boolean>> {
  if (value === null) return {}
  if (typeof value !== 'object' || Array.isArray(value)) throw invalidValue('features must be an object of switches')
  return Object.fromEntries(
    Object.entries(value as object).map(([key, isOn]: [string, unknown]) => {
      if (!isFeature(key)) throw invalidValue('features name an unknown feature')
      if (typeof isOn !== 'boolean') throw invalidValue(`features.${key} must be true or false`)
      return [key, isOn]
    }),
  )
}

function readModels(value: unknown, hasModel: HasModel): ModelAllowList {
  if (value === null) return NO_MODELS
  if (typeof value !== 'object' || !('enabled' in value) || typeof value.enabled !== 'boolean')
    throw invalidValue('allowed_models.enabled must be true or false')
  const models = checkNames('models' in value ? value.models : [], 'allowed_models.models')
  for (const model of models) checkModelExists(model, { hasModel, field: 'allowed_models.models' })
  return { enabled: value.enabled, models }
}

/** The name of a group. @throws {AuthError} `invalid_request` */
export function readGroupName(value: unknown): string {
  return checkName(value, { name: 'name', maxLength: MAX_NAME_LENGTH })
}

/** Reads the note of a group. @throws {AuthError} `invalid_request` */
export function readGroupNote(value: unknown): string {
  return checkText(value, { name: 'note', maxLength: MAX_NOTE_LENGTH, isOptional: true })
}

/** Reads a draft. @param before the group that is changed @throws {AuthError} `invalid_request` */
export function readGroupDraft(draft: GroupDraft, before: Group | undefined, hasModel: HasModel): GroupFields {
  const { isDefault = before?.isDefault ?? false, features, allowedModels } = draft
  if (typeof isDefault !== 'boolean') throw invalidValue('default must be true or false')
  return {
    name: readGroupName(draft.name ?? before?.name),
    note: readGroupNote(draft.note ?? before?.note),
    isDefault,
    features: features === undefined ? (before?.features ?? {}) : readFeatures(features),
    allowedModels:
      allowedModels === undefined ? (before?.allowedModels ?? NO_MODELS) : readModels(allowedModels, hasModel),
  }
}
