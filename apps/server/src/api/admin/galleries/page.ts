import { SvcError } from '@svc/errors'
import { readCount } from '../../../http/read-count.ts'

/** A part of a list. */
export interface Page<Item> {
  readonly items: readonly Item[]
  readonly currentPage: number
  readonly totalPages: number
  readonly prevPage: number
  readonly nextPage: number
}

const MAX_ITEMS = 10_000
const MAX_PAGE = 1_000_000_000

/** The page of a list that a query asks for. Pages are counted from 1, and one behind the last is empty. */
export function toPage<Item>(
  all: readonly Item[],
  query: { readonly page: string | undefined; readonly items: string | undefined; readonly size: number },
): Page<Item> {
  const size = readCount(query.items, { usual: query.size, most: MAX_ITEMS })
  const totalPages = Math.max(1, Math.ceil(all.length / size))
  const currentPage = readCount(query.page, { usual: 1, most: MAX_PAGE })
  return {
    items: all.slice((currentPage - 1) * size, currentPage * size),
    currentPage,
    totalPages,
    prevPage: Math.max(1, Math.min(currentPage - 1, totalPages)),
    nextPage: Math.min(totalPages, currentPage + 1),
  }
}

/** A comparison of texts by the order that a query asks for. @throws {SvcError} `invalid_request` */
export function toDirection(order: string | undefined): 1 | -1 {
  if (order === undefined || order === '' || order === 'asc') return 1
  if (order === 'desc') return -1
  throw new SvcError('invalid_request', 'order is not asc or desc', {
    code: 'invalid_query',
    details: { param: 'order' },
  })
}

/** Every distinct text of a list, sorted. */
export function distinctTexts(texts: readonly string[]): readonly string[] {
  return [...new Set(texts.filter((text) => text !== ''))].sort()
}
