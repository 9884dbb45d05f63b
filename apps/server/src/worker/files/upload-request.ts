import type { IncomingMessage } from 'node:http'
import type { ContentRange } from './content-range.ts'
import { badRequest, tooLarge } from './refusals.ts'

/** Largest file, 50 GiB. */
export const MAX_FILE_BYTES = 50 * 1024 ** 3

/** Reads a header. */
export function readHeader({ headers }: IncomingMessage, name: string): string | undefined {
  const value = headers[name]
  return Array.isArray(value) ? value.join(', ') : value
}

/** Reads the hash that the whole file must have. @throws {SvcError} `invalid_request` */
export function readTarget(incoming: IncomingMessage): string | undefined {
  const target = readHeader(incoming, 'x-content-sha256')?.trim().toLowerCase() ?? ''
  if (target === '') return undefined
  if (!/^[0-9a-f]{64}$/.test(target)) throw badRequest('X-Content-SHA256 must be 64 hexadecimal digits')
  return target
}

/** @throws {SvcError} `too_large`; `invalid_request` for a body that is not its range */
export function checkLength(incoming: IncomingMessage, range: ContentRange | undefined): void {
  const header = readHeader(incoming, 'content-length')
  const length = header === undefined ? undefined : Number(header)
  if ((range?.total ?? length ?? 0) > MAX_FILE_BYTES) throw tooLarge('the file is larger than 50 GiB')
  if (range !== undefined && length !== undefined && length !== range.end - range.start + 1) {
    throw badRequest('the length of the body is not that of its range')
  }
}
