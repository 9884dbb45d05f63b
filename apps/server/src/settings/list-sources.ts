import { OPTIONS, type SettingKey } from '../config/schema.ts'
import type { EffectiveSetting } from './effective.ts'
import { findPairedOption, findSetting } from './schema.ts'

/** Where the value of a setting comes from, and what keeps it from being changed. */
export interface SettingOrigin {
  readonly key: SettingKey
  /** The group of the setting. */
  readonly heading: string
  readonly about: string
  readonly source: 'flag' | 'environment' | 'file' | 'default'
  /** The lock that a saved value cannot change; null where it can. */
  readonly locked_by: 'flag' | 'environment' | 'branding' | 'refused' | null
  readonly secret: boolean
  /** The flag that sets it; null for none. */
  readonly flag: string | null
  /** The variables that set it, in the order in which they count. */
  readonly variables: readonly string[]
  /** Whether a saved value is not in force, because a flag or a variable sets another one. */
  readonly saved_value_unused: boolean
  /** Faults of the things that its value names; absent without faults. */
  readonly problems?: readonly string[] | undefined
}

const OPTION_BY_KEY = new Map(OPTIONS.map((option) => [option.key, option]))

/** Lists every setting with its origin, in the order of the sections. */
export function listSettingOrigins(
  snapshot: ReadonlyMap<SettingKey, EffectiveSetting>,
  findProblems: (key: SettingKey) => readonly string[] = () => [],
): readonly SettingOrigin[] {
  return [...snapshot].map(([key, { source, isShadowing }]) => {
    const { heading, about, secret } = findSetting(key)
    const problems = findProblems(key)
    const option = OPTION_BY_KEY.get(findPairedOption(key) ?? '')
    return {
      key,
      heading,
      about: about ?? option?.about ?? '',
      source: source === 'env' ? 'environment' : source,
      locked_by: findLock(key, source),
      secret: secret === true,
      saved_value_unused: isShadowing === true,
      flag: option?.flag === undefined ? null : `--${option.flag}`,
      variables: option?.env ?? [],
      ...(problems.length === 0 ? {} : { problems }),
    }
  })
}

/** A setting that is saved and does not act. */
export interface NotInForce {
  readonly key: SettingKey
  /** Why it does not act. */
  readonly reason: string
}

/** Lists the named settings whose saved value a flag or a variable keeps from acting. */
export function listOverridden(
  keys: readonly string[],
  snapshot: ReadonlyMap<SettingKey, EffectiveSetting>,
): readonly NotInForce[] {
  return listSettingOrigins(snapshot).flatMap(({ key, locked_by: lock, saved_value_unused: isUnused, ...origin }) => {
    if (!isUnused || !keys.includes(key)) return []
    const name = lock === 'flag' ? `the flag ${origin.flag}` : `the variable ${origin.variables.join(' or ')}`
    return [{ key, reason: `${name} sets another value at the start` }]
  })
}

function findLock(key: SettingKey, source: EffectiveSetting['source']): SettingOrigin['locked_by'] {
  const { owner, refusal, fileFirst } = findSetting(key)
  if (owner !== undefined) return owner
  if (refusal !== undefined) return 'refused'
  // Saved keys count beside the given ones.
  const yieldsToSaved = fileFirst === true || key === 'api_keys'
  if (yieldsToSaved || (source !== 'flag' && source !== 'env')) return null
  return source === 'flag' ? 'flag' : 'environment'
}
