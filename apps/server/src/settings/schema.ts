import type { Option, Setting } from '../config/option.ts'
import { OPTIONS, SETTINGS, type SettingKey } from '../config/schema.ts'

const BY_KEY: ReadonlyMap<string, Setting> = new Map(SETTINGS.map((setting) => [setting.key, setting]))

/** Whether a text names a setting. */
export function isSettingKey(key: string): key is SettingKey {
  return BY_KEY.has(key)
}

/** Every setting, in the order of the sections. */
export const SETTING_KEYS: readonly SettingKey[] = [...BY_KEY.keys()].filter(isSettingKey)

/** The declaration of a setting. */
export function findSetting(key: SettingKey): Setting {
  const setting = BY_KEY.get(key)
  if (setting === undefined) throw new Error(`no setting ${key}`)
  return setting
}

/** The value of a setting in JSON, or undefined for another form. */
export function readSetting({ kind }: Setting, value: unknown): unknown {
  return kind.safeParse(value).data
}

const PAIRED_OPTIONS = new Map(
  OPTIONS.flatMap((option) => (option.setting === undefined ? [] : [[option.setting, option] as const])),
)

/** The name in the configuration of the option that a setting is paired with. */
export function findPairedOption(key: SettingKey): string | undefined {
  return PAIRED_OPTIONS.get(key)?.key
}

/** The option that a setting is paired with. */
export function findOption(key: string): Option | undefined {
  return PAIRED_OPTIONS.get(key)
}
