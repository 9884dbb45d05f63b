import { toTextArgument } from '../arguments.ts'
import { getOwnAttribute } from '../attributes.ts'
import { printPretty } from '../pretty.ts'
import { tojson } from '../tojson.ts'
import { isTrue } from '../truth.ts'
import { define, type Implementation } from '../values/callable.ts'
import { Undefined } from '../values/value.ts'
import { CHUNK_FILTERS } from './chunk-filters.ts'
import { HTML_FILTERS } from './html-filters.ts'
import { NUMBER_FILTERS } from './number-filters.ts'
import { SEQUENCE_FILTERS } from './sequence-filters.ts'
import { TEXT_FILTERS } from './text-filters.ts'

const fallback = define('default', 'value default_value? boolean?', (_run, [value, other = '', boolean = false]) => {
  return value instanceof Undefined || (isTrue(boolean) && !isTrue(value)) ? other : value
})

/** The filters that need no other, by the names templates use. */
export const PLAIN_FILTERS: ReadonlyMap<string, Implementation> = new Map([
  ...TEXT_FILTERS,
  ...NUMBER_FILTERS,
  ...SEQUENCE_FILTERS,
  ...CHUNK_FILTERS,
  ...HTML_FILTERS,
  ['default', fallback],
  ['d', fallback],
  ['tojson', tojson],
  ['pprint', define('pprint', 'value', (run, [value]) => printPretty(run, value))],
  ['attr', define('attr', 'obj name', (run, [value, name]) => getOwnAttribute(run, value, toTextArgument(name)))],
])
