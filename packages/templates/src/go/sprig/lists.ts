import { deepEqual } from '../compare.ts'
import { fail } from '../errors.ts'
import { type CallContext, type FunctionTable, fixed, variadic } from '../function.ts'
import {
  compareBytes,
  findKind,
  GoPointer,
  GoSlice,
  type GoValue,
  goInt,
  goList,
  goStrings,
  indirect,
  toTypeName,
} from '../values.ts'
import { toInt } from './cast.ts'
import { isEmpty, stringValue, stringValues } from './convert.ts'

/** Functions that also have a `must…` form. */
const MUST: readonly string[] = [
  'append',
  'push',
  'prepend',
  'first',
  'rest',
  'last',
  'initial',
  'reverse',
  'uniq',
  'without',
  'has',
  'slice',
  'chunk',
  'compact',
]

/** Lists: creating, splitting, searching. Only `sortAlpha` changes one in place. */
export const LIST_FUNCTIONS: FunctionTable = withMust({
  list: variadic([], 'any', (_, __, items) => goList(items)),
  tuple: variadic([], 'any', (_, __, items) => goList(items)),
  first: fixed(['any'], (_, list) => asList('find first on', list).items[0] ?? null),
  last: fixed(['any'], (_, list) => asList('find last on', list).items.at(-1) ?? null),
  rest: fixed(['any'], (_, list) => withoutOne('find rest on', list, 1, undefined)),
  initial: fixed(['any'], (_, list) => withoutOne('find initial on', list, 0, -1)),
  append: fixed(['any', 'any'], (context, list, item) => append(context, list, item)),
  push: fixed(['any', 'any'], (context, list, item) => append(context, list, item)),
  prepend: fixed(['any', 'any'], (context, list, item) => {
    const { items } = asList('prepend on', list)
    context.budget.checkList(items.length + 1)
    return goList([item, ...items])
  }),
  concat: variadic([], 'any', (context, _, lists) => concat(context, lists)),
  reverse: fixed(['any'], (_, list) => goList([...asList('find reverse on', list).items].reverse())),
  compact: fixed(['any'], (_, list) => goList(asList('compact on', list).items.filter((item) => !isEmpty(item)))),
  uniq: fixed(['any'], (context, list) => {
    const seen: GoValue[] = []
    for (const item of asList('find uniq on', list).items) if (!includes(context, seen, item)) seen.push(item)
    return goList(seen)
  }),
  without: variadic(['any'], 'any', (context, [list], omitted) =>
    goList(asList('find without on', list).items.filter((item) => !includes(context, omitted, item))),
  ),
  has: fixed(['any', 'any'], (context, needle, list) => {
    return list !== null && includes(context, asList('find has on', list).items, needle)
  }),
  slice: variadic(['any'], 'any', (_, [list], indexes) => slice(list, indexes)),
  chunk: fixed(['int', 'any'], (_, size, list) => chunk(size, asList('chunk', list).items)),
  until: fixed(['int'], (context, count) => {
    return goInts(steps(context, { start: 0, stop: count, step: count < 0 ? -1 : 1 }))
  }),
  untilStep: fixed(['int', 'int', 'int'], (context, start, stop, step) => {
    return goInts(steps(context, { start, stop, step }))
  }),
  seq: variadic([], 'int', (context, _, bounds) => sequence(context, bounds)),
  sortAlpha: fixed(['any'], (context, list) => {
    const slice = indirect(list)
    if (!(slice instanceof GoSlice)) return goStrings([stringValue(context, list)])
    const sorted = [...stringValues(context, list)].sort(compareBytes)
    // As in sprig, a list of strings is sorted in place; other lists are copied.
    if (slice.element === 'string') slice.replaceItems(sorted)
    return goStrings(sorted)
  }),
  toStrings: fixed(['any'], (context, list) => goStrings(stringValues(context, list))),
})

/** Adds `mustFirst` and the like: here they do the same, because both kinds of failure end the rendering. */
function withMust(table: FunctionTable): FunctionTable {
  const all: Record<string, FunctionTable[string]> = { ...table }
  for (const [name, implementation] of Object.entries(table)) {
    if (MUST.includes(name)) all[`must${name.charAt(0).toUpperCase()}${name.slice(1)}`] = implementation
  }
  return all
}

function asList(action: string, value: GoValue): GoSlice {
  if (value instanceof GoSlice) return value
  return fail(`cannot ${action} type ${value instanceof GoPointer ? 'ptr' : findKind(value)}`)
}

function withoutOne(action: string, list: GoValue, start: number, end: number | undefined): GoSlice {
  const { items } = asList(action, list)
  return items.length === 0 ? new GoSlice('any', [], true) : goList(items.slice(start, end))
}

function append({ budget }: CallContext, list: GoValue, item: GoValue): GoSlice {
  const { items } = asList('push on', list)
  budget.checkList(items.length + 1)
  return goList([...items, item])
}

function concat({ budget }: CallContext, lists: readonly GoValue[]): GoSlice {
  const all = lists.map((list) => asList('concat', list).items)
  budget.checkList(all.reduce((length, items) => length + items.length, 0))
  const joined = all.flat()
  return new GoSlice('any', joined, joined.length === 0)
}

function includes({ budget }: CallContext, items: readonly GoValue[], needle: GoValue): boolean {
  return items.some((item) => deepEqual(budget, needle, item))
}

function slice(list: GoValue, indexes: readonly GoValue[]): GoValue {
  if (!(list instanceof GoSlice)) return fail(`list should be type of slice or array but ${toTypeName(list)}`)
  const { length } = list.items
  if (length === 0) return null
  const start = Number(toInt(indexes[0] ?? goInt(0)))
  const end = indexes.length < 2 ? length : Number(toInt(indexes[1]))
  if (start < 0 || start > end || end > length) return fail('slice bounds out of range')
  return new GoSlice(list.element, list.items.slice(start, end))
}

function chunk(size: number, items: readonly GoValue[]): GoSlice {
  if (items.length === 0 && size > 0) return new GoSlice({ kind: 'slice', element: 'any' }, [])
  if (size <= 0) return fail('chunk size must be positive')
  const chunks: GoSlice[] = []
  for (let at = 0; at < items.length; at += size) chunks.push(goList(items.slice(at, at + size)))
  return new GoSlice({ kind: 'slice', element: 'any' }, chunks)
}

interface Steps {
  readonly start: number
  readonly stop: number
  readonly step: number
}

/** The whole numbers from start on that do not reach stop. */
function steps({ budget }: CallContext, { start, stop, step }: Steps): number[] {
  const isDown = stop < start
  if (isDown ? step >= 0 : step <= 0) return []
  budget.checkList(Math.ceil((stop - start) / step))
  const numbers: number[] = []
  for (let at = start; isDown ? at > stop : at < stop; at += step) numbers.push(at)
  return numbers
}

function goInts(numbers: readonly number[]): GoSlice {
  return new GoSlice('int', numbers.map(goInt))
}

/** `seq`: like the shell's, ends included. */
function sequence(context: CallContext, bounds: readonly number[]): string {
  const range = sequenceBounds(bounds)
  return range === undefined ? '' : steps(context, range).join(' ')
}

function sequenceBounds([first, second, third, fourth]: readonly number[]): Steps | undefined {
  if (first === undefined || fourth !== undefined) return undefined
  const start = second === undefined ? 1 : first
  const end = third ?? second ?? first
  const direction = end < start ? -1 : 1
  const step = third === undefined ? direction : (second ?? direction)
  if (end < start && step > 0) return undefined
  return { start, stop: end + direction, step }
}
