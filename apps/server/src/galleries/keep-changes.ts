import { isDeepStrictEqual } from 'node:util'
import { type ConfigPatch, isMapKey, patchConfig } from '../catalog/edit-config.ts'
import { findReach } from '../catalog/keys/key-reach.ts'
import type { ModelConfig } from '../catalog/model-config.ts'
import { isFields } from './to-entry.ts'

type Fields = Readonly<Record<string, unknown>>
type Path = readonly string[]

/** A key that somebody has changed since an installation; without a value it was taken out. */
interface ConfigChange {
  readonly path: Path
  readonly value: unknown
}

/** The configurations of a model that is installed again. */
export interface ConfigHistory {
  /** The keys that the last installation has written; undefined for an installation that left no copy. */
  readonly installed: Fields | undefined
  /** Keys that the request of the last installation has set. */
  readonly requested: Fields
  /** The text of the model file now. */
  readonly text: string
  /** The keys that the model file has now. */
  readonly present: Fields
  /** The keys that this installation writes. */
  readonly next: Fields
  /** Keys that the request of this installation sets. */
  readonly asked: Fields
}

/** A model file with changes of before. */
export interface KeptConfig {
  readonly text: string
  readonly model: ModelConfig
  /** Keys that keep their values. */
  readonly kept: readonly string[]
  /** Keys whose changed values go. */
  readonly replaced: readonly string[]
}

/**
 * Installs a configuration over one that somebody has changed: changed keys keep their values, with the comments of the
 * file. Names of files follow the installation, and keys that its request sets follow the request.
 *
 * @param file name of the model file
 * @throws {SvcError} `invalid_request`, code `model_invalid`, where the values do not fit together
 */
export function keepChanges(history: ConfigHistory, file: string): KeptConfig {
  const { text, present, next } = history
  const changes = listChanges(history).filter(({ path, value }) => !isDeepStrictEqual(valueAt(next, path), value))
  const isReplaced = ({ path }: ConfigChange): boolean => isAskedAnew(path, history) || isTaken(path, history)
  const kept = changes.filter((change) => !isReplaced(change))
  const merged = kept.reduce((config, change) => withChange(config, change.path, change.value), next)
  const checked = patchConfig(text, toPatch(present, merged), file, String(next.name))
  const toNames = (list: readonly ConfigChange[]): readonly string[] => list.map(({ path }) => path.join('.'))
  return {
    text: checked.text,
    model: checked.models.find(({ name }) => name === next.name) ?? checked.model,
    kept: toNames(kept),
    replaced: toNames(changes.filter(isReplaced)),
  }
}

/** Keys of before with another value than the installation gave them, or with one that its request gave. */
function listChanges({ installed, requested, present, next }: ConfigHistory): readonly ConfigChange[] {
  // Without a copy nobody can tell whether the installation had a key that is not there.
  if (installed === undefined) return compare(next, present).filter(({ value }) => value !== undefined)
  const wishes = compare({}, requested).filter(({ path, value }) => isDeepStrictEqual(valueAt(present, path), value))
  const changes = compare(installed, present)
  const isNew = ({ path }: ConfigChange): boolean =>
    changes.every((change) => !isDeepStrictEqual(change.path, path)) && findReach(path) !== 'file'
  return [...changes, ...wishes.filter(isNew)].filter(({ path }) => path[0] !== 'name')
}

/** Whether the request of the installation gives a key a value that the last request did not give it. */
function isAskedAnew(path: Path, { asked, requested }: ConfigHistory): boolean {
  const value = valueAt(asked, path)
  return value !== undefined && !isDeepStrictEqual(value, valueAt(requested, path))
}

/**
 * Whether a key follows the installation: it names a file, and the installation brings another one. Without a copy of the
 * last installation, a key that reaches further than the model may come from a gallery.
 */
function isTaken(path: Path, { installed, next }: ConfigHistory): boolean {
  const reach = path[0] === 'artifacts' || path[0] === 'download_files' ? 'file' : findReach(path)
  if (installed === undefined) return reach !== undefined && reach !== 'nothing'
  return reach === 'file' && !isDeepStrictEqual(valueAt(installed, path), valueAt(next, path))
}

/** The keys that differ, by the values of the later configuration. Lists count as a whole. */
function compare(before: Fields, after: Fields, path: Path = []): readonly ConfigChange[] {
  const keys = [...new Set([...Object.keys(before), ...Object.keys(after)])]
  return keys.flatMap((key): readonly ConfigChange[] => {
    const [was, is] = [ownValue(before, key), ownValue(after, key)]
    if (isDeepStrictEqual(was, is)) return []
    const at = [...path, key]
    if (isFields(is) && (was === undefined || isFields(was))) return compare(was ?? {}, is, at)
    return [{ path: at, value: is }]
  })
}

function withChange(config: Fields, [key = '', ...rest]: Path, value: unknown): Fields {
  const { [key]: before, ...others } = config
  if (rest.length > 0) return { ...config, [key]: withChange(isFields(before) ? before : {}, rest, value) }
  return value === undefined ? others : { ...config, [key]: value }
}

/** The change of a file that makes one configuration of another. */
function toPatch(before: Fields, after: Fields, path: Path = []): ConfigPatch {
  const patch = new Map<string, unknown>()
  for (const key of new Set([...Object.keys(before), ...Object.keys(after)])) {
    const [was, is] = [ownValue(before, key), ownValue(after, key)]
    if (isDeepStrictEqual(was, is)) continue
    const at = [...path, key]
    if (is === undefined) patch.set(key, null)
    else patch.set(key, isFields(was) && isFields(is) && !isMapKey(at) ? toPatch(was, is, at) : is)
  }
  return Object.fromEntries(patch)
}

function valueAt(config: unknown, path: Path): unknown {
  return path.reduce<unknown>((value, key) => (isFields(value) ? ownValue(value, key) : undefined), config)
}

function ownValue(config: Fields, key: string): unknown {
  return Object.hasOwn(config, key) ? config[key] : undefined
}
