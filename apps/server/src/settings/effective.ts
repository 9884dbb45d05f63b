import { isDeepStrictEqual } from 'node:util'
import type { ConfigSources } from '../config/load.ts'
import type { ServerConfig, SettingKey } from '../config/schema.ts'
import { findPairedOption, findSetting, SETTING_KEYS } from './schema.ts'
import type { SavedSettings } from './settings-file.ts'

/** The origin of a setting's value; `file` is the file of saved settings. */
type SettingSource = 'flag' | 'env' | 'file' | 'default'

/** A value with its source. */
export interface EffectiveSetting {
  readonly value: unknown
  readonly source: SettingSource
  /** Set where another value is saved, which a flag or a variable keeps from acting. */
  readonly isShadowing?: boolean | undefined
}

/** Everything that the value of a setting depends on. */
export interface SettingInputs {
  readonly config: ServerConfig
  readonly sources: ConfigSources
  readonly saved: SavedSettings
  /** The keys of `api_keys.json`. */
  readonly fileKeys: readonly string[]
}

/** The options of the server and where each came from, by name. */
interface Options {
  readonly values: ReadonlyMap<string | undefined, unknown>
  readonly sources: ReadonlyMap<string | undefined, unknown>
}

/** One setting: flag or variable, then the saved value, then the default. A few take the saved value first. */
function effectiveSetting(key: SettingKey, { values, sources }: Options, saved: SavedSettings): EffectiveSetting {
  const { fileFirst, default: fallback, fromOption } = findSetting(key)
  const option = findPairedOption(key)
  const given = fromOption(values.get(option))
  const source = sources.get(option)
  const hasSaved = saved.has(key)
  const isGiven = source === 'flag' || source === 'env'
  if (isGiven && given !== undefined && !(fileFirst === true && hasSaved)) {
    const isShadowing = hasSaved && !isDeepStrictEqual(saved.get(key), given)
    return { value: given, source, ...(isShadowing ? { isShadowing } : {}) }
  }
  return hasSaved ? { value: saved.get(key), source: 'file' } : { value: given ?? fallback, source: 'default' }
}

/** The value in force of every setting. API keys add up: flag or variable, saved ones, `api_keys.json`, each once. */
export function effectiveSettings(inputs: SettingInputs): ReadonlyMap<SettingKey, EffectiveSetting> {
  const options: Options = {
    values: new Map(Object.entries(inputs.config)),
    sources: new Map(Object.entries(inputs.sources)),
  }
  const settings = new Map(SETTING_KEYS.map((key) => [key, effectiveSetting(key, options, inputs.saved)]))
  const saved = inputs.saved.get('api_keys')
  const keys: readonly unknown[] = [
    ...inputs.config.apiKeys,
    ...(Array.isArray(saved) ? saved : []),
    ...inputs.fileKeys,
  ]
  const source = settings.get('api_keys')?.source ?? 'default'
  return settings.set('api_keys', { value: Object.freeze([...new Set(keys)]), source })
}
