import { SvcError } from '@svc/errors'

/**
 * Amount that the caller may learn about our network. `public`: the URL is from a request or a fetched document.
 * `operator`: the operator configured the address, which may be private.
 */
export type Trust = 'public' | 'operator'

/**
 * Reason of a refused URL, in `details.reason` of `url_not_allowed`: for logs, and for routes with their own messages.
 */
export type RefusalReason =
  | 'invalid_url'
  | 'scheme'
  | 'credentials'
  | 'port'
  | 'internal_host'
  | 'private_network'
  | 'unresolvable'

/** Reason of a failed fetch, in `details.reason` of `fetch_failed`. */
export type FailureReason =
  | 'unresolvable'
  | 'connection_refused'
  | 'unreachable'
  | 'tls'
  | 'connection_lost'
  | 'invalid_reply'
  | 'invalid_encoding'
  | 'proxy_credentials'
  | 'proxy_refused'
  | 'proxy_lost'
  | 'invalid_json'
  | 'redirect'
  | 'too_many_redirects'
  | 'redirect_refused'

const EXPLANATIONS: Readonly<Record<FailureReason, string>> = {
  unresolvable: 'the host name could not be resolved',
  connection_refused: 'the connection was refused',
  unreachable: 'the host could not be reached',
  tls: 'no trusted TLS connection could be made',
  connection_lost: 'the connection was lost',
  invalid_reply: 'the reply is not valid HTTP',
  proxy_credentials: 'the proxy on the way out does not take its credentials',
  proxy_refused: 'the proxy on the way out refuses the connection',
  proxy_lost: 'the proxy on the way out closed the connection',
  invalid_encoding: 'the content could not be decoded',
  invalid_json: 'the content is not valid JSON',
  redirect: 'the reply redirects, which is not followed here',
  too_many_redirects: 'the reply redirects too often',
  redirect_refused: 'the reply redirects to an address that is not allowed',
}

const REFUSALS: Readonly<Record<RefusalReason, string>> = {
  invalid_url: 'its address is not valid',
  scheme: 'its address is neither http nor https',
  credentials: 'its address holds credentials',
  port: 'its port is none of public web servers',
  internal_host: 'its host is one of this network',
  private_network: 'its host has an address of this network',
  unresolvable: 'the host name could not be resolved',
}

/**
 * Creates the refusal of a URL, with one message for every reason: it must not reveal which names and addresses exist
 * here.
 */
export function urlNotAllowed(reason: RefusalReason, cause?: unknown): SvcError {
  return new SvcError('invalid_request', 'the URL is not allowed: only public http and https addresses are fetched', {
    code: 'url_not_allowed',
    details: { reason },
    ...(cause === undefined ? {} : { cause }),
  })
}

/** Creates the error of a failed fetch. The message has the reason only for an address of the operator. */
export function fetchFailed(
  reason: FailureReason,
  { trust, cause }: { readonly trust: Trust; readonly cause?: unknown },
): SvcError {
  const explanation = trust === 'operator' ? `: ${EXPLANATIONS[reason]}` : ''
  return new SvcError('upstream_failed', `the URL could not be fetched${explanation}`, {
    code: 'fetch_failed',
    details: { reason },
    ...(cause === undefined ? {} : { cause }),
  })
}

/** Creates the error for content above the caller's limit. */
export function fetchTooLarge(): SvcError {
  return new SvcError('too_large', 'the content behind the URL is too large', { code: 'fetch_too_large' })
}

/** @param span the limit that passed, for logs */
export function fetchTimedOut(span: 'total' | 'idle'): SvcError {
  return new SvcError('timeout', 'the URL did not answer in time', {
    code: 'fetch_timeout',
    details: { upstream: true, reason: span },
  })
}

/** Notes the host that a fetch failed at, for logs and for {@link nameFetchFailure}. */
export function withHost(error: unknown, host: string): unknown {
  return isFetchFailure(error) && error.details?.host === undefined ? rewrite(error, error.message, { host }) : error
}

/**
 * A failed fetch as an administrator sees it: with what was fetched, the cause, and the host where that is another one.
 * Any other error comes back as it is.
 */
export function nameFetchFailure(error: unknown, what: string): unknown {
  if (!isFetchFailure(error)) return error
  const { host } = error.details ?? {}
  const place = typeof host !== 'string' || what.includes(host) ? '' : ` (at ${host})`
  return rewrite(error, `${what}: ${explain(error)}${place}`)
}

function isFetchFailure(error: unknown): error is SvcError {
  return SvcError.is(error) && /^(fetch_failed|fetch_timeout|fetch_too_large|url_not_allowed)$/.test(error.code)
}

function explain({ code, message, details }: SvcError): string {
  const texts: Readonly<Record<string, string>> = code === 'url_not_allowed' ? REFUSALS : EXPLANATIONS
  const text = texts[String(details?.reason)]
  if (code === 'fetch_timeout') return 'the host did not answer in time'
  if (text === undefined) return message
  return code === 'url_not_allowed' ? `the URL is not allowed: ${text}` : text
}

function rewrite(error: SvcError, message: string, details: Readonly<Record<string, unknown>> = {}): SvcError {
  const { kind, code, cause } = error
  return new SvcError(kind, message, { code, details: { ...error.details, ...details }, cause })
}

/** Codes of Node and its parts. */
const REASONS: readonly (readonly [RegExp, FailureReason])[] = [
  [/^ECONNREFUSED$/, 'connection_refused'],
  [/^(EHOSTUNREACH|ENETUNREACH|ETIMEDOUT|EADDRNOTAVAIL|EACCES|EPERM|EINVAL)$/, 'unreachable'],
  [/^(ECONNRESET|ECONNABORTED|EPIPE|ERR_STREAM_PREMATURE_CLOSE)$/, 'connection_lost'],
  [/^HPE_/, 'invalid_reply'],
  [/^(ERR_TLS_|ERR_SSL_|ERR_OSSL_|EPROTO$)|CERT|^UNABLE_TO_|^(HOSTNAME_MISMATCH|INVALID_CA|INVALID_PURPOSE)$/, 'tls'],
]

/** Converts an error of the connection to `fetch_failed`. A {@link SvcError} and our own faults stay unchanged. */
export function toFetchFailure(error: unknown, trust: Trust): unknown {
  const ofProxy = SvcError.is(error) && error.code !== 'fetch_failed' ? error.details?.reason : undefined
  if (ofProxy === 'proxy_credentials' || ofProxy === 'proxy_refused' || ofProxy === 'proxy_lost') {
    return fetchFailed(ofProxy, { trust, cause: error })
  }
  if (SvcError.is(error) || !(error instanceof Error) || !('code' in error)) return error
  const code = String(error.code)
  const reason = REASONS.find(([pattern]) => pattern.test(code))?.[1]
  if (reason === undefined && code.startsWith('ERR_')) return error
  return fetchFailed(reason ?? 'connection_lost', { trust, cause: error })
}
