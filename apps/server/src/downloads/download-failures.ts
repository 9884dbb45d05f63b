import { SvcError } from '@svc/errors'

/** An origin that answers, but not with the file. */
export function originRefused(what: string, status: number): SvcError {
  return new SvcError('upstream_failed', `${what}: the origin answers with status ${status}`, {
    code: 'download_refused',
    details: { status },
  })
}

/** Content that is not the file. */
export function wrongContent(what: string, reason: string): SvcError {
  return new SvcError('upstream_failed', `${what}: ${reason}`, { code: 'download_corrupt' })
}

/** An origin that ends before everything has come. */
export function cutShort(what: string, bytes: number, wantedBytes: number): SvcError {
  return new SvcError('upstream_failed', `${what}: the origin ended after ${bytes} of ${wantedBytes} bytes`, {
    code: 'download_cut',
  })
}

/** A partial file in place of which another server has put its own. */
export function replaced(what: string): SvcError {
  return new SvcError('conflict', `${what} was fetched by another server at the same time: try it again`, {
    code: 'file_changed',
  })
}

/** A disk without room for the rest. */
export function noRoom(what: string, missingBytes: number): SvcError {
  return new SvcError('insufficient_storage', `${what}: the disk needs ${missingBytes} bytes more`, {
    code: 'no_room',
  })
}

/**
 * Whether the fetched bytes cannot be used any more: they are not the file, or they fill the disk and nothing shows
 * that they are a part of the file. Bytes whose hash and size are known are kept; an origin that sends bytes without an
 * end fills no disk for good.
 */
export function spoilsPartial(
  error: unknown,
  { sha256, sizeBytes }: { readonly sha256?: string | undefined; readonly sizeBytes?: number | undefined } = {},
): boolean {
  if (isDiskFull(error)) return sha256 === undefined || sizeBytes === undefined
  return SvcError.is(error) && error.code === 'download_corrupt'
}

/** Whether the disk became full while the file was written. */
export function isDiskFull(error: unknown): boolean {
  return SvcError.is(error) && error.code === 'disk_full'
}

/** Whether another attempt may go better: the line or the origin failed, and nothing was wrong with the content. */
export function mayPass(error: unknown): boolean {
  if (!SvcError.is(error)) return false
  if (error.code === 'fetch_failed') {
    const reason = error.details?.reason
    return reason === 'connection_lost' || reason === 'connection_refused' || reason === 'unreachable'
  }
  if (error.code === 'download_refused') {
    const status = Number(error.details?.status)
    return status === 429 || status === 408 || status >= 500
  }
  return error.code === 'fetch_timeout' || error.code === 'download_cut'
}
