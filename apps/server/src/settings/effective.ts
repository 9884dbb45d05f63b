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
}

/** Everything that the value of a setting depends on. */
export interface SettingInputs {
  readonly config: ServerConfig
  readonly sources: ConfigSources
  readonly saved: SavedSettings
  /** The keys of `api_keys.json`. */
  readonly fileKeys: readonly string[]
}

const lookUp = (record: object, key: string | undefined): unknown =>
  key === undefined ? undefined : new Map<string, unknown>(Object.entries(record)).get(key)

function givenSource(key: SettingKey, sources: ConfigSources): 'flag' | 'env' | 'default' {
  const source = lookUp(sources, findPairedOption(key))
  return source === 'flag' || source === 'env' ? source : 'default'
}

/** One setting: flag or variable, then the saved value, then the default. A few take the saved value first. */
function effectiveSetting(key: SettingKey, { config, sources, saved }: SettingInputs): EffectiveSetting {
  const { fileFirst, default: fallback, fromOption } = findSetting(key)
  const source = givenSource(key, sources)
  const given = fromOption(lookUp(config, findPairedOption(key)))
  const hasSaved = saved.has(key)
  if (source !== 'default' && given !== undefined && !(fileFirst === true && hasSaved)) return { value: given, source }
  return hasSaved ? { value: saved.get(key), source: 'file' } : { value: given ?? fallback, source: 'default' }
}

/** The value in force of every setting. API keys add up: flag or variable, saved ones, `api_keys.json`, each once. */
export function effectiveSettings(inputs: SettingInputs): ReadonlyMap<SettingKey, EffectiveSetting> {
  const settings = new Map(SETTING_KEYS.map((key) => [key, effectiveSetting(key, inputs)]))
  const saved = inputs.saved.get('api_keys')
  const keys: readonly unknown[] = [
    ...inputs.config.apiKeys,
    ...(Array.isArray(saved) ? saved : []),
    ...inputs.fileKeys,
  ]
  const source = settings.get('api_keys')?.source ?? 'default'
  return settings.set('api_keys', { value: Object.freeze([...new Set(keys)]), source })
}
