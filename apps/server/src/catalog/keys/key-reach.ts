import { type Field, findFieldMeta, type Reach } from './fields.ts'
import { modelKeys } from './model-keys.ts'

/** Lists the reach of keys, each by its path. `*` is each entry of a list or map. */
function listReach(field: Field, path: readonly string[], above: Reach | undefined): [string, Reach][] {
  const { keys, item, reach } = findFieldMeta(field) ?? {}
  const inner: [string, Field][] = keys !== undefined ? Object.entries(keys) : item !== undefined ? [['*', item]] : []
  const own = reach ?? above
  const key = path.join('.')
  if (inner.length === 0) return [[key, own ?? 'nothing']]
  const rows = inner.flatMap(([name, each]) => listReach(each, [...path, name], own))
  return reach === undefined ? rows : [[key, reach], ...rows]
}

/** The reach of every key of model files, and of further keys of a block. */
export const KEY_REACH: ReadonlyMap<string, Reach> = new Map(listReach(modelKeys, [], undefined))

/** Gives the reach of a key, by itself or by its nearest block; undefined for an unknown key. */
export function findReach(path: readonly string[]): Reach | undefined {
  for (let length = path.length; length > 0; length -= 1) {
    const reach = KEY_REACH.get(path.slice(0, length).join('.'))
    if (reach !== undefined) return reach
  }
  return undefined
}
