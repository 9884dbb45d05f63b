import { SvcError } from '@svc/errors'
import type { Listed } from '../../../galleries/gallery.ts'
import type { Call } from '../../../http/call.ts'
import { toDirection } from './page.ts'

const SORTS = ['name', 'repository', 'license', 'status'] as const

/**
 * Sorts entries of galleries by the column and the order that a query asks for; without a column they stay as they are.
 * In the order of `status`, installed entries come first.
 *
 * @throws {SvcError} `invalid_request`
 */
export function sortEntries<Entry extends { readonly name: string; readonly license: string }>(
  entries: readonly Listed<Entry>[],
  call: Call,
  installed: ReadonlySet<string>,
): readonly Listed<Entry>[] {
  const asked = call.query('sort')
  if (asked === undefined || asked === '') return entries
  const sort = SORTS.find((one) => one === asked)
  if (sort === undefined) {
    throw new SvcError('invalid_request', `sort is not one of ${SORTS.join(', ')}`, {
      code: 'invalid_query',
      details: { param: 'sort' },
    })
  }
  const direction = toDirection(call.query('order'))
  const toSortKey = ({ entry, gallery }: Listed<Entry>): string => {
    if (sort === 'repository') return gallery.name
    if (sort === 'license') return entry.license
    return sort === 'status' ? (installed.has(entry.name) ? '0' : '1') : entry.name.toLowerCase()
  }
  const keyed = entries.map((listed) => ({ listed, key: toSortKey(listed) }))
  keyed.sort((one, other) => (one.key === other.key ? 0 : one.key < other.key ? -direction : direction))
  return keyed.map(({ listed }) => listed)
}
