import { SvcError } from '@svc/errors'

/** A part of a list as a client asks for it. */
export interface PageQuery {
  readonly offset: number
  /** 0 = all. */
  readonly limit: number
  readonly isFull: boolean
}

const DEFAULT_LIMIT = 50
const MAX_LIMIT = 1000

/** Reads the query of a list. @throws {SvcError} `invalid_request` naming the parameter */
export function readPage(query: (name: string) => string | undefined): PageQuery {
  const limit = readCount('limit', query('limit')) ?? DEFAULT_LIMIT
  const offset = readCount('offset', query('offset')) ?? 0
  const full = query('full') ?? ''
  return { offset, limit: Math.min(limit, MAX_LIMIT), isFull: full === '1' || full.toLowerCase() === 'true' }
}

function readCount(name: string, value: string | undefined): number | undefined {
  if (value === undefined || value === '') return undefined
  if (/^\d{1,12}$/.test(value)) return Number(value)
  throw new SvcError('invalid_request', `${name} must be a whole number, 0 or above`, { details: { param: name } })
}
