import { PLAIN_FILTERS } from './filters/filters.ts'
import { createSelectFilters, type Registry } from './filters/select-filters.ts'
import { PLAIN_TESTS } from './tests/tests.ts'
import { define, type Implementation } from './values/callable.ts'
import { toHashKey } from './values/dict.ts'
import type { Value } from './values/value.ts'

/** All filters, by the names templates use. */
export const FILTERS: Registry = new Map([...PLAIN_FILTERS, ...createSelectFilters({ findFilter, findTest })])

/** All tests, by the names templates use behind `is`. */
export const TESTS: Registry = new Map<string, Implementation>([
  ...PLAIN_TESTS,
  ['filter', define('filter', 'value', (_run, [value]) => hasName(FILTERS, value))],
  ['test', define('test', 'value', (_run, [value]) => hasName(TESTS, value))],
])

/** Looks up as the reference does: a value that cannot be a key fails. */
function hasName(registry: Registry, value: Value): boolean {
  const key = toHashKey(value)
  return typeof key === 'string' && registry.has(key)
}

function findFilter(name: string): Implementation | undefined {
  return FILTERS.get(name)
}

function findTest(name: string): Implementation | undefined {
  return TESTS.get(name)
}
