import { SvcError } from '@svc/errors'

/** A part of a list. */
export interface Page<Item> {
  readonly items: readonly Item[]
  readonly currentPage: number
  readonly totalPages: number
  readonly prevPage: number
  readonly nextPage: number
}

const MAX_ITEMS = 10_000

/** The page of a list that a query asks for. Pages are counted from 1. @throws {SvcError} `invalid_request` */
export function toPage<Item>(
  all: readonly Item[],
  query: { readonly page: string | undefined; readonly items: string | undefined; readonly size: number },
): Page<Item> {
  const size = Math.min(toCount('items', query.items) ?? query.size, MAX_ITEMS)
  const totalPages = Math.max(1, Math.ceil(all.length / size))
  const currentPage = Math.min(toCount('page', query.page) ?? 1, totalPages)
  return {
    items: all.slice((currentPage - 1) * size, currentPage * size),
    currentPage,
    totalPages,
    prevPage: Math.max(1, currentPage - 1),
    nextPage: Math.min(totalPages, currentPage + 1),
  }
}

function toCount(name: string, text: string | undefined): number | undefined {
  if (text === undefined || text === '') return undefined
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text)
  throw new SvcError('invalid_request', `${name} is not a whole number from 1`, {
    code: 'invalid_query',
    details: { param: name },
  })
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
