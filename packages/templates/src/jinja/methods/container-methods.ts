import { toCount } from '../arguments.ts'
import { isEqual } from '../compare.ts'
import { raise } from '../errors.ts'
import { toItems } from '../iterate.ts'
import type { Rendering } from '../rendering.ts'
import { define, type Implementation } from '../values/callable.ts'
import { Dict, payForKey } from '../values/dict.ts'
import { DictView } from '../values/dict-view.ts'
import type { Range } from '../values/range.ts'
import type { Bytes, Value } from '../values/value.ts'
import { MethodTable } from './method.ts'

/** The methods of lists that leave them as they are. */
export const LIST_METHODS = new MethodTable<readonly Value[]>()
  .add('index', 'value start? stop?', (run, list, [value, start = 0, stop = list.length]) => {
    const first = toPlace(start, list.length)
    const last = Math.min(list.length, toPlace(stop, list.length))
    for (let index = first; index < last; index++) {
      if (isEqual(run, list[index] ?? null, value)) return index
    }
    return raise('ValueError', 'the value is not in the list')
  })
  .add('count', 'value', (run, list, [value]) => countEqual(run, list, value))
  .add('copy', '', (run, list) => {
    run.spend(list.length)
    return [...list]
  })

/** The methods of tuples. */
export const TUPLE_METHODS = new MethodTable<readonly Value[]>()
for (const name of ['index', 'count']) {
  const method = LIST_METHODS.get(name)
  if (method !== undefined) TUPLE_METHODS.addFree(name, method)
}

/** The methods of dicts that leave them as they are. */
export const DICT_METHODS = new MethodTable<Dict>()
  .add('get', 'key default?', (run, dict, [key, fallback = null]) => {
    payForKey(run, key)
    const value = dict.get(key)
    return value === undefined ? fallback : value
  })
  .add('keys', '', (_run, dict) => new DictView(dict, 'keys'))
  .add('values', '', (_run, dict) => new DictView(dict, 'values'))
  .add('items', '', (_run, dict) => new DictView(dict, 'items'))
  .add('copy', '', (run, dict) => {
    run.spend(dict.size)
    return dict.copy()
  })

/** Creates a dict whose keys all have one value. */
export const fromKeys: Implementation = define('fromkeys', 'iterable value?', (run, [iterable, value = null]) => {
  const dict = new Dict()
  for (const key of toItems(run, iterable)) {
    payForKey(run, key)
    dict.set(key, value)
  }
  return dict
})

DICT_METHODS.addFree('fromkeys', (run, _dict, given) => fromKeys(run, given))

/** The methods of ranges. */
export const RANGE_METHODS = new MethodTable<Range>()
  .add('index', 'value', (_run, range, [value]) => {
    const index = typeof value === 'number' ? range.indexOf(value) : -1
    return index < 0 ? raise('ValueError', 'the value is not in range') : index
  })
  .add('count', 'value', (_run, range, [value]) => (typeof value === 'number' && range.indexOf(value) >= 0 ? 1 : 0))

/** The methods of bytes. */
export const BYTES_METHODS = new MethodTable<Bytes>()
  .addNamed('decode', 'encoding? errors?', (run, { bytes }) => {
    run.reserve(bytes.length)
    return new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes)
  })
  .add('hex', '', (run, { bytes }) => {
    run.reserve(bytes.length * 2)
    return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
  })

function countEqual(run: Rendering, list: readonly Value[], value: Value): number {
  let count = 0
  for (const item of list) if (isEqual(run, item, value)) count++
  return count
}

function toPlace(value: Value, length: number): number {
  const place = toCount(value)
  return place < 0 ? Math.max(0, place + length) : place
}
