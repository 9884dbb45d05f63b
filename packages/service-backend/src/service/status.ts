import { type ErrorKind, SvcError } from '@svc/errors'
import type { UpstreamReply } from '@svc/http-client'
import { isFields, quoteUpstream, readAtMost, readRetryAfter, toFields, toText, tryParseJson } from '@svc/proxy/replies'

/** Most bytes read of an error, for a quotation. */
const MAX_READ_BYTES = 64 * 1024

/** Messages for a missing route: of another instance (§7.1), of OpenAI and of servers made with FastAPI. */
const NO_ROUTE = /^(?:Resource not found$|Invalid URL \(|Not Found$)/

/**
 * Converts an instance's reply to a failure (§6.5): 501 and missing routes are `not_implemented`, 508 `loop`, other 5xx
 * and invalid replies `unavailable`, 429 `rate_limited`, other 4xx `invalid_request`.
 */
export async function toReplyFailure(reply: UpstreamReply, secrets: readonly string[]): Promise<SvcError> {
  const { status } = reply
  const body = new TextDecoder().decode(await readAtMost(reply.body, MAX_READ_BYTES))
  const said = readMessage(body)
  const kind = status === 404 && said.isRouteMissing ? 'not_implemented' : toKind(status)
  const quoted = quoteUpstream(said.text, secrets)
  return new SvcError(kind, quoted === '' ? `the upstream answered with status ${status}` : quoted, {
    code: `upstream_${kind}`,
    retryAfterMs: kind === 'rate_limited' || kind === 'unavailable' ? readRetryAfter(reply.headers) : undefined,
    details: { status },
  })
}

function toKind(status: number): ErrorKind {
  if (status === 501) return 'not_implemented'
  if (status === 429) return 'rate_limited'
  if (status === 508) return 'loop'
  return status >= 400 && status < 500 ? 'invalid_request' : 'unavailable'
}

/** Reads the message of an error body, in any error family. */
function readMessage(body: string): { readonly text: string; readonly isRouteMissing: boolean } {
  const fields = tryParseJson(body)
  if (!isFields(fields)) return { text: body, isRouteMissing: true }
  const { error, message, detail } = fields
  const text = toText(toFields(error).message) ?? toText(error) ?? toText(message) ?? toText(detail) ?? body
  return { text, isRouteMissing: NO_ROUTE.test(text) }
}

/** Converts a failure to send: an instance without a reply is `unavailable`. */
export function toSendFailure(error: unknown): SvcError {
  if (SvcError.is(error) && error.kind !== 'upstream_failed') return error
  return new SvcError('unavailable', SvcError.is(error) ? error.message : 'the upstream cannot be reached', {
    code: 'upstream_unavailable',
    cause: error,
  })
}

/** The error of a stream that reported an error, or ended too early. */
export function streamFailed(message: string, secrets: readonly string[] = []): SvcError {
  return new SvcError('unavailable', quoteUpstream(message, secrets), { code: 'upstream_unavailable' })
}

/** The error of an unreadable reply. */
export function undecodable(path: string): SvcError {
  return new SvcError('internal', `the upstream's reply to ${path} cannot be read`, { code: 'upstream_unreadable' })
}

/** The error for features that the REST routes of another instance lack. */
export function unsupported(what: string): SvcError {
  return new SvcError('not_implemented', `${what} cannot be forwarded to another instance`, {
    code: 'not_forwardable',
  })
}
