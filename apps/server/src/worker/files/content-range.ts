import { badRequest } from './refusals.ts'

/** A piece of a file; both ends are included. */
export interface ContentRange {
  readonly start: number
  readonly end: number
  readonly total: number
}

/** Parses `bytes <start>-<end>/<total>`; undefined without the header. @throws {SvcError} `invalid_request` */
export function parseContentRange(header: string | undefined): ContentRange | undefined {
  if (header === undefined || header.trim() === '') return undefined
  const [, start = '', end = '', total = ''] = /^bytes (\d{1,15})-(\d{1,15})\/(\d{1,15})$/.exec(header.trim()) ?? []
  const range = { start: Number(start), end: Number(end), total: Number(total) }
  if (start === '' || range.end < range.start || range.total <= range.end) throw badRequest('invalid Content-Range')
  return range
}

/** Parses the `Range` of a download; undefined for the whole file, also where a header asks for more than one piece. */
export function parseRange(
  header: string | undefined,
  size: number,
): { readonly start: number; readonly end: number } | 'outside' | undefined {
  const [, first, last] = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(header?.trim() ?? '') ?? []
  if (first === undefined || last === undefined || (first === '' && last === '')) return undefined
  if (first === '') {
    const length = Math.min(size, Number(last))
    return length === 0 ? 'outside' : { start: size - length, end: size - 1 }
  }
  const start = Number(first)
  const end = last === '' ? size - 1 : Math.min(size - 1, Number(last))
  if (last !== '' && Number(last) < start) return undefined
  return start >= size ? 'outside' : { start, end }
}
