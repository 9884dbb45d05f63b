import { raise } from '../errors.ts'
import { iterate } from '../iterate.ts'
import type { Rendering } from '../rendering.ts'
import { isTrue } from '../truth.ts'
import { type Arguments, type Implementation, NO_NAMES } from '../values/callable.ts'
import { Iteration, type Value } from '../values/value.ts'
import { toGetter } from './attribute-path.ts'

/** Filters and tests by name. */
export type Registry = ReadonlyMap<string, Implementation>

type Find = (name: string) => Implementation | undefined

/** The filters that apply other filters and tests to every item. All are lazy. */
export function createSelectFilters({
  findFilter,
  findTest,
}: {
  readonly findFilter: Find
  readonly findTest: Find
}): Registry {
  const select = (options: { readonly byAttribute: boolean; readonly wanted: boolean }): Implementation => {
    return (run, given) => new Iteration(selectItems(run, given, { ...options, findTest }))
  }
  return new Map<string, Implementation>([
    ['map', (run, given) => new Iteration(mapItems(run, given, findFilter))],
    ['select', select({ byAttribute: false, wanted: true })],
    ['reject', select({ byAttribute: false, wanted: false })],
    ['selectattr', select({ byAttribute: true, wanted: true })],
    ['rejectattr', select({ byAttribute: true, wanted: false })],
  ])
}

function* mapItems(run: Rendering, { positional, named }: Arguments, findFilter: Find): Iterator<Value> {
  const [value = null, ...rest] = positional
  if (!isTrue(value)) return
  const apply = toMapping(run, { positional: rest, named }, findFilter)
  for (const item of iterate(run, value)) yield apply(item)
}

function toMapping(run: Rendering, { positional, named }: Arguments, findFilter: Find): (item: Value) => Value {
  const [name, ...rest] = positional
  const attribute = named.get('attribute')
  if (name === undefined && attribute !== undefined) {
    const unexpected = [...named.keys()].find((key) => key !== 'attribute' && key !== 'default')
    if (unexpected !== undefined) raise('FilterArgumentError', `Unexpected keyword argument '${unexpected}'`)
    return toGetter(run, attribute, { fallback: named.get('default') })
  }
  if (name === undefined) return raise('FilterArgumentError', 'map requires a filter argument')
  const filter = findByName(findFilter, 'filter', name)
  return (item) => filter(run, { positional: [item, ...rest], named })
}

function* selectItems(
  run: Rendering,
  { positional, named }: Arguments,
  options: { readonly byAttribute: boolean; readonly wanted: boolean; readonly findTest: Find },
): Iterator<Value> {
  const [value = null, ...rest] = positional
  if (!isTrue(value)) return
  const attribute = options.byAttribute ? rest.shift() : null
  if (attribute === undefined) raise('FilterArgumentError', 'Missing parameter for attribute name')
  const get = toGetter(run, attribute)
  const passes = toPredicate(run, { positional: rest, named }, options.findTest)
  for (const item of iterate(run, value)) if (passes(get(item)) === options.wanted) yield item
}

function toPredicate(run: Rendering, { positional, named }: Arguments, findTest: Find): (value: Value) => boolean {
  const [name, ...rest] = positional
  if (name === undefined) return isTrue
  const test = findByName(findTest, 'test', name)
  return (value) => isTrue(test(run, { positional: [value, ...rest], named: named.size > 0 ? named : NO_NAMES }))
}

/** Unknown names fail as soon as there is an item to apply them to. */
function findByName(find: Find, kind: 'filter' | 'test', name: Value): Implementation {
  const found = typeof name === 'string' ? find(name) : undefined
  if (found !== undefined) return found
  return () => raise('TemplateRuntimeError', `No ${kind} named ${typeof name === 'string' ? `'${name}'` : 'so'}.`)
}
