import { SvcError } from '@svc/errors'

const FORBIDDEN: Readonly<Record<string, string>> = {
  internal_host: 'requests to internal hosts are not allowed',
  private_network: 'requests to private networks are not allowed',
}

const INVALID: Readonly<Record<string, string>> = {
  scheme: 'only http and https addresses can be fetched',
  credentials: 'the URL must not hold credentials',
  port: 'this port cannot be reached',
  unresolvable: 'the host name could not be resolved',
}

/** Words a failure of a fetch as the proxy does: 400 and 403 for the address, 502 for the server there. */
export function toProxyError(thrown: unknown): unknown {
  if (!SvcError.is(thrown) || thrown.kind === 'cancelled') return thrown
  if (thrown.code === 'url_not_allowed') {
    const reason = String(thrown.details?.reason)
    const forbidden = FORBIDDEN[reason]
    if (forbidden !== undefined) return new SvcError('forbidden', forbidden, { code: thrown.code, cause: thrown })
    const message = INVALID[reason] ?? 'url is not an http or https address'
    return new SvcError('invalid_request', message, { code: thrown.code, cause: thrown })
  }
  const message = thrown.code === 'fetch_too_large' ? 'the reply is larger than 100 MB' : 'the address did not answer'
  return new SvcError('upstream_failed', message, { code: thrown.code, cause: thrown })
}
