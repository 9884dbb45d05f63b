import { networkInterfaces } from 'node:os'
import { SvcError } from '@svc/errors'
import { classifyAddress, isWithin, parseCidr } from '../../outbound/address.ts'
import { portOf, type Resolve, systemResolve } from '../../outbound/target.ts'
import type { Clock } from '../../ports.ts'

/**
 * Refuses an upstream that is this server itself (threats CP-4). What hides it, such as another name of a proxy in
 * front, is found out by the count of servers that requests carry.
 *
 * @throws {SvcError} `invalid_proxy_settings`
 */
export type CheckUpstream = (url: URL) => Promise<void>

/** Where this server is to be found. */
export interface OwnPlace {
  /** What it binds, as it was configured; undefined is every address of the machine. */
  readonly host: string | undefined
  /** Undefined until it listens. */
  readonly port: () => number | undefined
  /** Its address for others, where one is configured. */
  readonly baseUrl: string | undefined
}

/** What {@link createUpstreamCheck} needs. */
export interface UpstreamCheckOptions extends OwnPlace {
  readonly clock: Pick<Clock, 'sleep'>
  /** @default the system's resolver */
  readonly resolve?: Resolve | undefined
  /** Addresses of this machine. @default those of its interfaces */
  readonly machine?: (() => readonly string[]) | undefined
}

/** A name that is not found in this time is somebody else's. */
const RESOLVE_MS = 2000

/** Makes the check for a server. */
export function createUpstreamCheck(options: UpstreamCheckOptions): CheckUpstream {
  const { host: bound, port, baseUrl, machine = machineAddresses } = options
  const base = baseUrl === undefined ? undefined : new URL(baseUrl)

  const isOwn = async (url: URL): Promise<boolean> => {
    if (base !== undefined && url.origin === base.origin && startsWithPath(url, base)) return true
    // This server speaks no TLS: a port of that is not its own.
    if (url.protocol !== 'http:' || portOf(url) !== String(port())) return false
    const isEverywhere = bound === undefined || isUnspecified(bound)
    const own = isEverywhere ? machine() : await addressesOf(bound, options)
    const ranges = own.flatMap((address) => parseCidr(address) ?? [])
    const takesLoopback = isEverywhere || own.some((address) => classifyAddress(address) === 'loopback')
    return (await addressesOf(hostOf(url), options)).some((address) => {
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

/** The address that stands for all; a connection to it leads to the machine itself. */
function isUnspecified(host: string): boolean {
  return host === '0.0.0.0' || host === '::'
}

function hostOf({ hostname }: URL): string {
  return hostname.startsWith('[') ? hostname.slice(1, -1) : hostname
}

/** The addresses of a host, which may be one; none of a name that nobody knows. */
async function addressesOf(host: string, options: UpstreamCheckOptions): Promise<readonly string[]> {
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

function machineAddresses(): readonly string[] {
  return Object.values(networkInterfaces()).flatMap((addresses) => (addresses ?? []).map(({ address }) => address))
}
