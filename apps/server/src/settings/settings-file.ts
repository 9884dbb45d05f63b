import type { JsonNode } from '@svc/json'
import { type FileProblem, findLine } from '../files/read-json-file.ts'
import type { Parsed } from './live-file.ts'
import { findSetting, isSettingKey, readSetting } from './schema.ts'

/** Name of the file of saved settings in the configuration folder. */
export const SETTINGS_FILE = 'runtime_settings.json'

/** The saved settings: checked values of known keys, and everything else as it was found. */
export type SavedSettings = ReadonlyMap<string, unknown>

/**
 * Reads the saved settings. A value of another form is a problem of its line and is left out. The whole file is unsafe
 * to go without when such a value may have held API keys. Unknown keys are kept: another version wrote them.
 */
export function parseSettings(root: JsonNode): Parsed<SavedSettings> {
  const saved = new Map<string, unknown>()
  const problems: FileProblem[] = []
  if (root.kind !== 'object') {
    return {
      value: saved,
      problems: [{ file: SETTINGS_FILE, message: 'it is not an object of settings' }],
      isUnsafe: true,
    }
  }
  let isUnsafe = false
  for (const { key: name, value: node } of root.entries()) {
    const key = name.text()
    const found = node.toValue()
    if (!isSettingKey(key)) saved.set(key, found)
    else if (found !== null) {
      const setting = findSetting(key)
      const value = readSetting(setting, found)
      if (value === undefined) {
        problems.push({ file: SETTINGS_FILE, line: findLine(node), message: `${key} is not ${setting.form}` })
        isUnsafe ||= setting.secret === true
      } else saved.set(key, value)
    }
  }
  return { value: saved, problems, isUnsafe }
}

/** The content of the file for a set of saved settings. */
export function formatSettings(saved: SavedSettings): string {
  return `${JSON.stringify(Object.fromEntries(saved), null, 2)}\n`
}
