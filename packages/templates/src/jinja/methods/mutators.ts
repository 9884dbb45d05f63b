import { toCount, toIndex } from '../arguments.ts'
import { isEqual } from '../compare.ts'
import { raise } from '../errors.ts'
import { sortItems } from '../filters/sort.ts'
import { toItems } from '../iterate.ts'
import type { Rendering } from '../rendering.ts'
import { Callable, createBinder } from '../values/callable.ts'
import { type Dict, payForKey } from '../values/dict.ts'
import { typeName } from '../values/type-name.ts'
import { Tuple, type Value } from '../values/value.ts'
import { fillDict } from './fill-dict.ts'
import { MethodTable } from './method.ts'

/** The methods that change a list; only lenient templates have them. */
export const LIST_MUTATORS = new MethodTable<readonly Value[]>()
  .add('append', 'object', (run, list, [item]) => {
    run.spend()
    toMutable(list).push(item)
    return null
  })
  .add('extend', 'iterable', (run, list, [iterable]) => {
    for (const item of [...toItems(run, iterable)]) toMutable(list).push(item)
    return null
  })
  .add('insert', 'index object', (run, list, [index, item]) => {
    run.spend(list.length + 1)
    toMutable(list).splice(toCount(index), 0, item)
    return null
  })
  .add('pop', 'index?', (run, list, [index = -1]) => {
    run.spend(list.length)
    if (list.length === 0) raise('IndexError', 'pop from empty list')
    const place = toCount(index)
    if (place >= list.length || place < -list.length) raise('IndexError', 'pop index out of range')
    return toMutable(list).splice(place, 1)[0] ?? null
  })
  .add('remove', 'value', (run, list, [value]) => {
    const index = list.findIndex((item) => isEqual(run, item, value))
    if (index < 0) raise('ValueError', 'list.remove(x): x not in list')
    run.spend(list.length)
    toMutable(list).splice(index, 1)
    return null
  })
  .add('clear', '', (_run, list) => {
    toMutable(list).length = 0
    return null
  })
  .add('reverse', '', (run, list) => {
    run.spend(list.length)
    toMutable(list).reverse()
    return null
  })
  .addFree('sort', (run, list, given) => {
    if (given.positional.length > 0) raise('TypeError', 'sort() takes no positional arguments')
    const [key = null, reverse = false] = bindSort(given)
    const sorted = sortItems(run, list, { key: toKey(run, key), reverse: toIndex(reverse) !== 0 })
    for (const [index, item] of sorted.entries()) toMutable(list)[index] = item
    return null
  })

/** The methods that change a dict; only lenient templates have them. */
export const DICT_MUTATORS = new MethodTable<Dict>()
  .addFree('update', (run, dict, given) => {
    fillDict(run, dict, { name: 'update', given })
    return null
  })
  .add('setdefault', 'key default?', (run, dict, [key, fallback = null]) => {
    payForKey(run, key)
    const value = dict.get(key)
    if (value === undefined) dict.set(key, fallback)
    return value === undefined ? fallback : value
  })
  .add('pop', 'key default?', (run, dict, [key, fallback]) => {
    payForKey(run, key)
    const value = dict.get(key)
    dict.delete(key)
    if (value !== undefined) return value
    return fallback === undefined ? raise('KeyError', 'the key is not in the dict') : fallback
  })
  .add('popitem', '', (run, dict) => {
    run.spend(dict.size)
    const last = [...dict.entries()].at(-1)
    if (last === undefined) return raise('KeyError', 'popitem(): dictionary is empty')
    dict.delete(last[0])
    return new Tuple(last)
  })
  .add('clear', '', (_run, dict) => {
    dict.clear()
    return null
  })

const bindSort = createBinder('sort', 'key? reverse?')

function toKey(run: Rendering, key: Value): (item: Value) => Value {
  if (key === null) return (item) => item
  if (!(key instanceof Callable)) return raise('TypeError', `'${typeName(key)}' object is not callable`)
  return (item) => key.call(run, { positional: [item], named: new Map() })
}

/** Every list was made for its rendering, so changing one never reaches data of the caller. */
function toMutable(list: readonly Value[]): Value[] {
  return list as Value[]
}
