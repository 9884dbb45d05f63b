import { type ErrorKind, SvcError, type SvcErrorOptions } from '@svc/errors'
import type { Header, UpstreamReply } from '@svc/http-client'

/** Most kept bytes of the body of an upstream's error. */
export const MAX_ERROR_BODY_BYTES = 1024 * 1024

/** Headers of an upstream's error for the client, beside status and body. */
const KEPT_HEADERS = /^(?:retry-after(?:-ms)?|(?:x|anthropic)-ratelimit-.+|(?:x-)?request-id)$/

/** An upstream's own error reply, to be sent on as it is: status, content type and body. */
export class UpstreamStatusError extends SvcError {
  override readonly name = 'UpstreamStatusError'
  /** As the upstream sent it, 400 or above. */
  readonly status: number
  /** As the upstream sent it; absent when it sent none. */
  readonly contentType: string | undefined
  /** As the upstream sent it, cut at {@link MAX_ERROR_BODY_BYTES}. */
  readonly body: Uint8Array
  /** Waits, rate limits and request ids, to be sent on. */
  readonly headers: readonly Header[]

  constructor(reply: Pick<UpstreamReply, 'status' | 'headers'>, body: Uint8Array) {
    super(kindOfStatus(reply.status), `the upstream answered with status ${reply.status}`, {
      code: 'upstream_status',
      retryAfterMs: readRetryAfter(reply.headers),
      details: { status: reply.status },
    })
    this.status = reply.status
    this.contentType = findHeader(reply.headers, 'content-type')
    this.body = body
    this.headers = reply.headers.filter(([name]) => KEPT_HEADERS.test(name))
  }
}

/** The error of an upstream that is unreachable, ends in the middle or answers unreadably. */
export function brokenUpstream(message: string, options: Omit<SvcErrorOptions, 'retryAfterMs'> = {}): SvcError {
  return new SvcError('upstream_failed', message, options)
}

/** The first value of a header; undefined without one. */
export function findHeader(headers: readonly Header[], wanted: string): string | undefined {
  return headers.find(([name]) => name === wanted)?.[1]
}

/** The waiting time that an upstream asks for, in milliseconds; reads seconds and dates. */
export function readRetryAfter(headers: readonly Header[], now: () => number = Date.now): number | undefined {
  const value = findHeader(headers, 'retry-after')?.trim()
  if (value === undefined || value === '') return undefined
  if (/^\d{1,9}$/.test(value)) return Number(value) * 1000
  const date = Date.parse(value)
  return Number.isNaN(date) ? undefined : Math.max(0, date - now())
}

/** The error of a reply with another status. Reads its body and cuts it where it is too long. */
export async function readStatusError(reply: UpstreamReply): Promise<UpstreamStatusError> {
  return new UpstreamStatusError(reply, await readAtMost(reply.body, MAX_ERROR_BODY_BYTES))
}

/** Reads the beginning of a body. */
export async function readAtMost(body: AsyncIterable<Uint8Array>, limit: number): Promise<Uint8Array> {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of body) {
    chunks.push(chunk.subarray(0, limit - size))
    size += chunk.length
    if (size >= limit) break
  }
  return concat(chunks)
}

/** Reads a whole body. @throws {SvcError} `upstream_failed` past the limit */
export async function readWhole(body: AsyncIterable<Uint8Array>, limit: number): Promise<Uint8Array> {
  const bytes = await readAtMost(body, limit + 1)
  if (bytes.length <= limit) return bytes
  throw brokenUpstream(`the upstream's reply is larger than ${limit} bytes`, { code: 'upstream_reply_too_large' })
}

function concat(chunks: readonly Uint8Array[]): Uint8Array {
  const [only] = chunks
  if (only !== undefined && chunks.length === 1) return only
  const bytes = new Uint8Array(chunks.reduce((sum, { length }) => sum + length, 0))
  let offset = 0
  for (const chunk of chunks) {
    bytes.set(chunk, offset)
    offset += chunk.length
  }
  return bytes
}

const KINDS: Readonly<Record<number, ErrorKind>> = {
  401: 'unauthenticated',
  403: 'forbidden',
  404: 'not_found',
  409: 'conflict',
  413: 'too_large',
  422: 'unprocessable',
  429: 'rate_limited',
  503: 'unavailable',
}

function kindOfStatus(status: number): ErrorKind {
  return KINDS[status] ?? (status >= 400 && status < 500 ? 'invalid_request' : 'upstream_failed')
}
