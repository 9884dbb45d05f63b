import { isDeepStrictEqual } from 'node:util'
import { SvcError } from '@svc/errors'
import type { SettingKey } from '../config/schema.ts'
import { didYouMean } from '../config/suggest.ts'
import { findSetting, isSettingKey, readSetting, SETTING_KEYS } from './schema.ts'
import { isMask, unmask } from './secret-mask.ts'
import type { SavedSettings } from './settings-file.ts'

/** The state that a change is checked against. */
export interface PatchContext {
  readonly saved: SavedSettings
  /** The value in force. */
  readonly current: (key: SettingKey) => unknown
  /** API keys of flag, variable and `api_keys.json`. They always count and are not saved again. */
  readonly givenKeys: readonly string[]
  /** The routes that ask. @default none */
  readonly owner?: string | undefined
}

const refused = (message: string, param?: string): SvcError =>
  new SvcError('invalid_request', message, { code: 'invalid_setting', details: { param } })

/**
 * The value of a secret setting without masks, of which each leaves the saved value as it is: the secret of a flag or a
 * variable never gets into the file. Undefined where nothing is saved.
 */
function unmaskValue(key: SettingKey, value: unknown, { saved, current }: PatchContext): unknown {
  const listTexts = (held: unknown): string[] => [held].flat().filter((each) => typeof each === 'string')
  const ofFile = listTexts(saved.get(key))
  const known = [...ofFile, ...listTexts(current(key))]
  const readMask = (mask: string): string | undefined => {
    if (unmask(mask, known) !== undefined) return unmask(mask, ofFile)
    throw refused(`Invalid ${key}: a masked value is no longer known; load the settings again`, key)
  }
  const isMasked = (item: unknown): item is string => typeof item === 'string' && isMask(item)
  if (Array.isArray(value)) {
    const items: readonly unknown[] = value
    return items.flatMap((item) => (isMasked(item) ? (readMask(item) ?? []) : [item]))
  }
  if (!isMasked(value)) return value
  readMask(value)
  return saved.get(key)
}

/** The checked value of one entry; undefined takes the saved value away. */
function checkEntry(key: SettingKey, given: unknown, context: PatchContext): unknown {
  const setting = findSetting(key)
  const { secret, owner, form, refusal } = setting
  if (owner !== undefined && owner !== context.owner) {
    if (isDeepStrictEqual(given, context.current(key))) return context.saved.get(key)
    throw refused(`${key} is set through the ${owner} routes`, key)
  }
  if (given === null) return undefined
  const meant = secret === true ? unmaskValue(key, given, context) : given
  if (meant === undefined) return undefined
  const value = readSetting(setting, meant)
  if (value === undefined) throw refused(`Invalid ${key} format: it is not ${form}`, key)
  if (refusal !== undefined && !isDeepStrictEqual(value, context.current(key))) throw refused(`${key} ${refusal}`, key)
  if (key !== 'api_keys' || !Array.isArray(value)) return value
  const keys: readonly unknown[] = value
  return [...new Set(keys)].filter(
    (each) => typeof each === 'string' && !isMask(each) && !context.givenKeys.includes(each),
  )
}

/** Whether a value is an object of named fields. */
function isFields(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/**
 * The saved settings after a change. Everything is checked before anything counts.
 *
 * @param patch any of the settings; null takes a saved value away, a mask leaves a secret as it is
 * @throws {SvcError} `invalid_request` naming the first key that cannot be taken
 */
export function applyPatch(patch: unknown, context: PatchContext): SavedSettings {
  if (!isFields(patch)) throw refused('Failed to parse JSON: not an object of settings')
  const next = new Map(context.saved)
  for (const [key, given] of Object.entries(patch)) {
    if (!isSettingKey(key)) throw refused(`unknown setting ${key.slice(0, 64)}${didYouMean(key, SETTING_KEYS)}`)
    const value = checkEntry(key, given, context)
    if (value === undefined) next.delete(key)
    else next.set(key, value)
  }
  return next
}
