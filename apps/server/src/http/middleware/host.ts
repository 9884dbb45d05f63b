import { isIP } from 'node:net'
import { SvcError } from '@svc/errors'
import { readHostName } from '../../outbound/host-name.ts'

/** Host names a request may be addressed to while no auth is configured. */
export interface HostPolicy {
  /** Names beside IP literals and `localhost`: the base URL's and the operator's. Lower case, no port. */
  readonly allowed: ReadonlySet<string>
}

/** Builds the policy from `SVC_BASE_URL` and `--allowed-hosts`. */
export function hostPolicy(baseUrl: string | undefined, allowedHosts: readonly string[]): HostPolicy {
  const allowed = new Set(allowedHosts.map((host) => readHostName(host.trim())))
  if (baseUrl !== undefined && URL.canParse(baseUrl)) allowed.add(readHostName(new URL(baseUrl).host))
  return { allowed }
}

/**
 * Refuses requests addressed to a name that a rebinding page could have pointed here.
 *
 * @throws {SvcError} `misdirected` (421)
 */
export function checkHost(host: string | undefined, policy: HostPolicy): void {
  const name = host === undefined ? '' : readHostName(host)
  if (isIP(name) !== 0 || name === 'localhost' || policy.allowed.has(name)) return
  throw new SvcError(
    'misdirected',
    'this host name is not served here; the operator can allow it with --allowed-hosts',
    {
      code: 'misdirected_host',
    },
  )
}

/** Refuses a request with several `Host` headers: Node would silently take the first. */
export function checkSingleHost(rawHeaders: readonly string[]): void {
  let seen = 0
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index]
    if (name?.length === 4 && name.toLowerCase() === 'host') seen += 1
  }
  if (seen > 1) throw new SvcError('invalid_request', 'more than one Host header')
}
