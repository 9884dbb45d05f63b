import { fail } from '../errors.ts'
import { type CallContext, type FunctionTable, fixed, variadic } from '../function.ts'
import type { Budget } from '../limits.ts'
import { GoMap, GoPointer, GoSlice, GoStruct, type GoValue, goDict, goList, goStrings } from '../values.ts'
import { isEmpty, stringValue } from './convert.ts'

/** Maps. `set`, `unset` and the merges change the map they are given. */
export const DICT_FUNCTIONS: FunctionTable = {
  dict: variadic([], 'any', (context, _, items) => makeDict(context, items)),
  get: fixed(['dict', 'string'], (_, dict, key) => (dict.entries.has(key) ? dict.entries.get(key) : '')),
  set: fixed(['dict', 'string', 'any'], (_, dict, key, value) => {
    writable(dict).set(key, value)
    return dict
  }),
  unset: fixed(['dict', 'string'], (_, dict, key) => {
    dict.entries.delete(key)
    return dict
  }),
  hasKey: fixed(['dict', 'string'], (_, dict, key) => dict.entries.has(key)),
  // Go's order is random here; ours is by key, so that a prompt is the same each time.
  keys: variadic([], 'dict', (_, __, dicts) => goStrings(dicts.flatMap((dict) => dict.sortedKeys()))),
  values: fixed(['dict'], (_, dict) => goList(dict.sortedKeys().map((key) => dict.entries.get(key)))),
  pluck: variadic(['string'], 'dict', (_, [key], dicts) =>
    goList(dicts.filter((dict) => dict.entries.has(key)).map((dict) => dict.entries.get(key))),
  ),
  pick: variadic(['dict'], 'string', (_, [dict], keys) => {
    return goDict(new Map(keys.filter((key) => dict.entries.has(key)).map((key) => [key, dict.entries.get(key)])))
  }),
  omit: variadic(['dict'], 'string', (_, [dict], keys) => {
    return goDict(new Map([...dict.entries].filter(([key]) => !keys.includes(key))))
  }),
  merge: variadic(['dict'], 'dict', (context, [target], sources) => mergeAll(context, target, sources, false)),
  mustMerge: variadic(['dict'], 'dict', (context, [target], sources) => mergeAll(context, target, sources, false)),
  mergeOverwrite: variadic(['dict'], 'dict', (context, [target], sources) => mergeAll(context, target, sources, true)),
  mustMergeOverwrite: variadic(['dict'], 'dict', (context, [target], sources) =>
    mergeAll(context, target, sources, true),
  ),
  dig: variadic([], 'any', (_, __, path) => dig(path)),
  deepCopy: fixed(['any'], (context, value) => copyValue(context, value)),
  mustDeepCopy: fixed(['any'], (context, value) => copyValue(context, value)),
}

function writable(dict: GoMap): Map<string, GoValue> {
  return dict.isNil ? fail('assignment to entry in nil map') : dict.entries
}

function makeDict(context: CallContext, items: readonly GoValue[]): GoMap {
  const entries = new Map<string, GoValue>()
  for (let at = 0; at < items.length; at += 2) {
    entries.set(stringValue(context, items[at]), at + 1 < items.length ? items[at + 1] : '')
  }
  return goDict(entries)
}

function dig(path: readonly GoValue[]): GoValue {
  if (path.length < 3) return fail('dig needs at least three arguments')
  const otherwise = path.at(-2)
  let current = path.at(-1)
  const keys = path.slice(0, -2).map((key) => (typeof key === 'string' ? key : fail('dig needs string keys')))
  for (const key of keys) {
    if (!(current instanceof GoMap) || current.element !== 'any') return fail('dig needs a dict at every step')
    if (!current.entries.has(key)) return otherwise
    current = current.entries.get(key)
  }
  return current
}

function mergeAll({ budget }: CallContext, target: GoMap, sources: readonly GoMap[], overwrite: boolean): GoMap {
  const isNothing = target.isNil && sources.every((source) => source.isNil)
  const merged = target.isNil && !isNothing ? goDict() : target
  for (const source of sources) mergeInto({ budget, target: merged, source, overwrite }, 0)
  return merged
}

interface Merge {
  readonly budget: Budget
  readonly target: GoMap
  readonly source: GoMap
  readonly overwrite: boolean
}

/** Copies entries that the target lacks or has empty, or all entries when overwriting; maps are merged key by key. */
function mergeInto(merge: Merge, depth: number): void {
  const { budget, target, source, overwrite } = merge
  budget.checkDepth(depth)
  if (target === source) return
  for (const key of source.sortedKeys()) {
    budget.spend(1)
    const value = source.entries.get(key)
    if (value === null || value === undefined) {
      if (overwrite) target.entries.set(key, null)
      continue
    }
    const known = target.entries.get(key)
    if (value instanceof GoMap && known instanceof GoMap)
      mergeInto({ ...merge, target: known, source: value }, depth + 1)
    if (value instanceof GoSlice && overwrite) target.entries.set(key, value)
    const keeps = !isEmpty(known) && (value instanceof GoSlice || (value instanceof GoMap && known instanceof GoMap))
    if (!keeps && (overwrite || isEmpty(known))) target.entries.set(key, value)
  }
}

function copyValue({ budget }: CallContext, value: GoValue): GoValue {
  return value === null ? fail('cannot copy nil') : deepCopy(budget, value, 0)
}

function deepCopy(budget: Budget, value: GoValue, depth: number): GoValue {
  budget.spend(1)
  budget.checkDepth(depth)
  const copy = (item: GoValue): GoValue => deepCopy(budget, item, depth + 1)
  if (value instanceof GoSlice) return new GoSlice(value.element, value.items.map(copy), value.isNil)
  if (value instanceof GoMap) {
    return new GoMap(value.element, new Map([...value.entries].map(([key, item]) => [key, copy(item)])), value.isNil)
  }
  if (value instanceof GoStruct) return new GoStruct(value.type, value.values.map(copy))
  if (value instanceof GoPointer && value.target !== undefined) {
    return new GoPointer(value.type, copy(value.target) ?? undefined)
  }
  return value
}
