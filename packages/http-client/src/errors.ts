import { SvcError } from '@svc/errors'

/** Cause of a missing or incomplete reply, in `details.reason` of `upstream_failed`: for logs and metrics. */
export type UpstreamFailure =
  | 'unresolvable'
  | 'connection_refused'
  | 'unreachable'
  | 'tls'
  | 'connection_lost'
  | 'invalid_reply'
  | 'redirect'
  | 'truncated'
  | 'undecodable'
  | 'proxy_credentials'
  | 'proxy_refused'
  | 'proxy_lost'

const EXPLANATIONS: Readonly<Record<UpstreamFailure, string>> = {
  unresolvable: 'its host name could not be resolved',
  connection_refused: 'the connection was refused',
  unreachable: 'it could not be reached',
  tls: 'no trusted TLS connection could be made',
  connection_lost: 'the connection was lost',
  invalid_reply: 'its reply is not valid HTTP',
  redirect: 'its reply redirects, which is not followed',
  truncated: 'its reply ended before it was complete',
  undecodable: 'its reply cannot be decoded',
  proxy_credentials: 'the proxy on the way out does not take its credentials',
  proxy_refused: 'the proxy on the way out refuses the connection',
  proxy_lost: 'the proxy on the way out closed the connection',
}

/** The error of a request without a complete reply. The message names no host, key or address. */
export function upstreamFailed(reason: UpstreamFailure, cause?: unknown): SvcError {
  return new SvcError('upstream_failed', `the upstream failed: ${EXPLANATIONS[reason]}`, {
    details: { reason },
    ...(cause === undefined ? {} : { cause }),
  })
}

/** @param span the limit that passed */
export function upstreamTimedOut(span: 'connect' | 'head' | 'total' | 'idle'): SvcError {
  return new SvcError('timeout', 'the upstream did not answer in time', {
    code: 'upstream_timeout',
    details: { upstream: true, reason: span },
  })
}

/** The error for bytes that are not an HTTP reply; the detail names the broken rule. */
export function invalidReply(detail: string): SvcError {
  return upstreamFailed('invalid_reply', new Error(detail))
}

/** The error for a request when no connection is free and too many requests wait. */
export function upstreamBusy(): SvcError {
  return new SvcError('unavailable', 'too many requests are waiting for the upstream', {
    code: 'upstream_busy',
    retryAfterMs: 1000,
  })
}

/** The error of a request that its caller aborted. */
export function requestCancelled(cause?: unknown): SvcError {
  if (SvcError.is(cause)) return cause
  return new SvcError('cancelled', 'the request was cancelled', cause === undefined ? {} : { cause })
}

const REASONS: readonly (readonly [RegExp, UpstreamFailure])[] = [
  [/^ECONNREFUSED$/, 'connection_refused'],
  [/^(ENOTFOUND|EAI_.*)$/, 'unresolvable'],
  [/^(EHOSTUNREACH|ENETUNREACH|ETIMEDOUT|EADDRNOTAVAIL|EACCES|EPERM|EINVAL)$/, 'unreachable'],
  [/^(ERR_TLS_|ERR_SSL_|ERR_OSSL_|EPROTO$)|CERT|^UNABLE_TO_|^(HOSTNAME_MISMATCH|INVALID_CA|INVALID_PURPOSE)$/, 'tls'],
]

/** Converts a socket's error to `upstream_failed`; a {@link SvcError} comes back as it is. */
export function toUpstreamFailure(error: unknown): SvcError {
  if (SvcError.is(error)) return error
  const code = findCode(error)
  return upstreamFailed(REASONS.find(([pattern]) => pattern.test(code))?.[1] ?? 'connection_lost', error)
}

/** Node gathers the failures of several addresses in one error; the first one gives the code. */
function findCode(error: unknown): string {
  if (error instanceof AggregateError && error.errors.length > 0) return findCode(error.errors[0])
  return error instanceof Error && 'code' in error ? String(error.code) : ''
}
