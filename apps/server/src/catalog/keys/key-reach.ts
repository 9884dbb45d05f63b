import { type Field, findFieldMeta, type Reach } from './fields.ts'
import { modelKeys } from './model-keys.ts'

/** Lists the reach of keys, each by its path. `*` is each entry of a list or map. */
function listReach(field: Field, path: readonly string[], above: Reach | undefined): [string, Reach][] {
  const { keys, item, reach } = findFieldMeta(field) ?? {}
  const inner: [string, Field][] = [
    ...Object.entries(keys ?? {}),
    ...(item === undefined ? [] : [['*', item] as [string, Field]]),
  ]
  const own = reach ?? above
  const key = path.join('.')
  if (inner.length === 0) return [[key, own ?? 'nothing']]
  const rows = inner.flatMap(([name, each]) => listReach(each, [...path, name], own))
  return reach === undefined ? rows : [[key, reach], ...rows]
}

/** The reach of every key of model files, and of further keys of a block. */
export const KEY_REACH: ReadonlyMap<string, Reach> = new Map(listReach(modelKeys, [], undefined))

interface ReachNode {
  reach?: Reach
  readonly next: Map<string, ReachNode>
}

function buildTree(): ReachNode {
  const root: ReachNode = { next: new Map() }
  for (const [key, reach] of KEY_REACH) {
    let node = root
    for (const part of key.split('.')) {
      const child = node.next.get(part) ?? { next: new Map() }
      node.next.set(part, child)
      node = child
    }
    node.reach = reach
  }
  return root
}

const TREE = buildTree()

/**
 * Gives the reach of a key, by itself or by its nearest block; undefined for an unknown key.
 *
 * @param path the entries of lists and maps by their own names, or as `*`
 */
export function findReach(path: readonly string[]): Reach | undefined {
  let node: ReachNode | undefined = TREE
  let nearest: Reach | undefined
  for (const part of path) {
    node = node.next.get(part) ?? node.next.get('*')
    if (node === undefined) break
    nearest = node.reach ?? nearest
  }
  return nearest
}
