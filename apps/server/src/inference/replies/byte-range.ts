/** A part of content, half open. */
export interface ByteRange {
  readonly start: number
  readonly end: number
}

/** The request as far as its range depends on it. */
export interface RangedRequest {
  readonly route: { readonly method?: string | undefined }
  header(name: string): string | undefined
}

const SINGLE = /^bytes=[\t ]*(\d{0,15})-(\d{0,15})[\t ]*$/i

/**
 * Reads the part of content that a request asks for (RFC 9110, section 14). A header that cannot be honoured is ignored:
 * another method than GET, several ranges, another unit, or a condition, because content has no validators.
 *
 * @param length bytes of the whole content
 */
export function selectRange(request: RangedRequest, length: number): ByteRange | 'unsatisfiable' | undefined {
  if (request.route.method !== 'GET' || request.header('if-range') !== undefined) return undefined
  const found = SINGLE.exec(request.header('range') ?? '')
  const [, first = '', last = ''] = found ?? []
  if (first === '' && last === '') return undefined
  if (first === '') {
    const count = Math.min(Number(last), length)
    return count === 0 ? 'unsatisfiable' : { start: length - count, end: length }
  }
  const start = Number(first)
  if (last !== '' && Number(last) < start) return undefined
  if (start >= length) return 'unsatisfiable'
  return { start, end: last === '' ? length : Math.min(Number(last) + 1, length) }
}
