import type { PageQuery } from '../../../db/page.ts'
import type { Call } from '../../../http/call.ts'
import { readCount } from '../../../http/read-count.ts'
import { unparsable } from '../../../inference/documents/unparsable.ts'
import type { Reader } from '../../../stored-files/stored-file.ts'

const MAX_ITEMS = 100
const DEFAULT_ITEMS = 20

/** Reads the part of a list that a call asks for. @throws {SvcError} `invalid_request` for an unknown order */
export function readPageQuery(call: Pick<Call, 'query'>): PageQuery {
  const order = call.query('order') || 'desc'
  if (order !== 'asc' && order !== 'desc') throw unparsable('order: must be asc or desc', 'order')
  return {
    limit: readCount(call.query('limit'), { usual: DEFAULT_ITEMS, most: MAX_ITEMS }),
    order,
    after: call.query('after') || undefined,
    before: call.query('before') || undefined,
  }
}

/** Writes a page of a list. */
export function writePage<Item extends { readonly id: string }>(data: readonly Item[], hasMore: boolean) {
  return {
    object: 'list',
    data,
    first_id: data[0]?.id ?? null,
    last_id: data.at(-1)?.id ?? null,
    has_more: hasMore,
  }
}

/** The caller as a reader of files and stores. */
export function toReader({ principal }: Pick<Call, 'principal'>): Reader {
  return { id: principal.id, isAdmin: principal.role === 'admin' }
}
