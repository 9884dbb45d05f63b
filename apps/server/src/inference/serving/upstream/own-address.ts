import { networkInterfaces } from 'node:os'
import { SvcError } from '@svc/errors'
import { classifyAddress, isWithin, parseCidr } from '../../../outbound/address.ts'
import { type Resolve, readPort, systemResolve } from '../../../outbound/target.ts'
import type { Clock } from '../../../ports.ts'

/**
 * Refuses an upstream that is this server itself (threats CP-4). The count of passed servers in requests finds cases
 * that the address hides, such as another name of a proxy in front.
 *
 * @throws {SvcError} `invalid_proxy_settings`
 */
export type CheckUpstream = (url: URL) => Promise<void>

/** Addresses of this server. */
export interface OwnPlace {
  /** The configured bind address; undefined binds every address of the machine. */
  readonly host: string | undefined
  /** Undefined until the server listens. */
  readonly port: () => number | undefined
  /** The configured public address. */
  readonly baseUrl: string | undefined
}

/** Options of {@link createUpstreamCheck}. */
export interface UpstreamCheckOptions extends OwnPlace {
  readonly clock: Pick<Clock, 'sleep'>
  /** @default the system's resolver */
  readonly resolve?: Resolve | undefined
  /** Addresses of this machine. @default those of its interfaces */
  readonly machine?: (() => readonly string[]) | undefined
}

/** A name that is not resolved in this time is taken for another server. */
const RESOLVE_MS = 2000

/** Creates the check of a server. */
export function createUpstreamCheck(options: UpstreamCheckOptions): CheckUpstream {
  const { host: bound, port, baseUrl, machine = listMachineAddresses } = options
  const base = baseUrl === undefined ? undefined : new URL(baseUrl)

  const isOwn = async (url: URL): Promise<boolean> => {
    if (base !== undefined && url.origin === base.origin && startsWithPath(url, base)) return true
    // This server speaks no TLS: a TLS port is not its own.
    if (url.protocol !== 'http:' || readPort(url) !== String(port())) return false
    const isEverywhere = bound === undefined || isUnspecified(bound)
    const own = isEverywhere ? machine() : await resolveAddresses(bound, options)
    const ranges = own.flatMap((address) => parseCidr(address) ?? [])
    const takesLoopback = isEverywhere || own.some((address) => classifyAddress(address) === 'loopback')
    return (await resolveAddresses(readHost(url), options)).some((address) => {
      if (isUnspecified(address)) return takesLoopback
      return isWithin(address, ranges) || (isEverywhere && classifyAddress(address) === 'loopback')
    })
  }

  return async (url) => {
    if (!(await isOwn(url))) return
    const param = 'proxy.upstream_url'
    throw new SvcError('invalid_request', `${param}: is the address of this server itself`, {
      code: 'invalid_proxy_settings',
      details: { param },
    })
  }
}

function startsWithPath(url: URL, base: URL): boolean {
  const path = base.pathname.endsWith('/') ? base.pathname : `${base.pathname}/`
  return `${url.pathname}/`.startsWith(path)
}

/** Whether a host is the unspecified address; a connection to it reaches the machine itself. */
function isUnspecified(host: string): boolean {
  return host === '0.0.0.0' || host === '::'
}

function readHost({ hostname }: URL): string {
  return hostname.startsWith('[') ? hostname.slice(1, -1) : hostname
}

/** Gives the addresses of a host name or address; none for an unknown name. */
async function resolveAddresses(host: string, options: UpstreamCheckOptions): Promise<readonly string[]> {
  if (parseCidr(host) !== undefined) return [host]
  const found = new AbortController()
  const { signal } = found
  const tooLate = options.clock.sleep(RESOLVE_MS, { signal }).then(() => [])
  try {
    return await Promise.race([(options.resolve ?? systemResolve)(host, { signal }), tooLate])
  } catch {
    return []
  } finally {
    found.abort()
    tooLate.catch(() => undefined)
  }
}

function listMachineAddresses(): readonly string[] {
  return Object.values(networkInterfaces()).flatMap((addresses) => (addresses ?? []).map(({ address }) => address))
}
