import { isDeepStrictEqual } from 'node:util'
import { SvcError } from '@svc/errors'
import { didYouMean } from '../config/suggest.ts'
import { isBuilt, isSettingKey, SETTING_KEYS, type SettingKey, settingOf } from './schema.ts'
import { isMask, unmask } from './secret-mask.ts'
import { isFields } from './setting-kind.ts'
import type { SavedSettings } from './settings-file.ts'

/** What a change is judged by. */
export interface PatchContext {
  readonly saved: SavedSettings
  /** The value that counts now. */
  readonly current: (key: SettingKey) => unknown
  /** Keys that come from elsewhere than the saved settings: they always count and are not saved again. */
  readonly givenKeys: readonly string[]
}

const refused = (message: string, param?: string): SvcError =>
  new SvcError('invalid_request', message, { code: 'invalid_setting', details: { param } })

/** The texts of a secret setting with masks replaced by what they stand for. */
function unmaskValue(key: SettingKey, value: unknown, { saved, current }: PatchContext): unknown {
  const known = [saved.get(key), current(key)].flat().filter((each) => typeof each === 'string')
  const one = (item: unknown): unknown => {
    if (typeof item !== 'string') return item
    const secret = unmask(item, known)
    if (secret === undefined)
      throw refused(`Invalid ${key}: a masked value is no longer known; load the settings again`, key)
    return secret
  }
  return Array.isArray(value) ? value.map(one) : one(value)
}

/** The checked value of one entry; undefined takes the saved value away. */
function checkEntry(key: SettingKey, given: unknown, context: PatchContext): unknown {
  const { kind, secret, owner } = settingOf(key)
  if (owner !== undefined) {
    if (isDeepStrictEqual(given, context.current(key))) return context.saved.get(key)
    throw refused(`${key} is set through the ${owner} routes`, key)
  }
  if (given === null) return undefined
  const value = kind.read(secret === true ? unmaskValue(key, given, context) : given)
  if (value === undefined) throw refused(`Invalid ${key} format: it is not ${kind.form}`, key)
  if (!isBuilt(key) && !isDeepStrictEqual(value, context.current(key)))
    throw refused(`${key} is not in this version`, key)
  if (key !== 'api_keys' || !Array.isArray(value)) return value
  const keys: readonly unknown[] = value
  return [...new Set(keys)].filter(
    (each) => typeof each === 'string' && !isMask(each) && !context.givenKeys.includes(each),
  )
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
