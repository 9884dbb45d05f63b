import { readCount } from '../../../http/read-count.ts'

/** A part of a list as a client asks for it. */
export interface PageQuery {
  readonly offset: number
  /** 0 = all. */
  readonly limit: number
  readonly isFull: boolean
}

const LIMITS = { usual: 50, least: 0, most: 1000 }
const OFFSETS = { usual: 0, least: 0, most: Number.MAX_SAFE_INTEGER }

/** Reads the query of a list. */
export function readPage(query: (name: string) => string | undefined): PageQuery {
  const full = query('full') ?? ''
  return {
    offset: readCount(query('offset'), OFFSETS),
    limit: readCount(query('limit'), LIMITS),
    isFull: full === '1' || full.toLowerCase() === 'true',
  }
}
