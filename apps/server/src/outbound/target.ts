import { lookup } from 'node:dns/promises'
import { isIP } from 'node:net'
import { SvcError } from '@svc/errors'
import { type AddressRange, classifyAddress, isWithin, parseCidr } from './address.ts'
import { fetchFailed, type RefusalReason, type Trust, urlNotAllowed } from './failures.ts'
import { isHostName, isInternalName } from './host-name.ts'

/** An allowed URL, with the only addresses to connect to. */
export interface Target {
  readonly url: URL
  /** The URL's host for a connection: a name without trailing dot, or an address without brackets. */
  readonly host: string
  /** Empty where only a proxy can look the name up. */
  readonly addresses: readonly string[]
}

/** Exemptions from the rules for public URLs, as the operator configured them. */
export interface AllowList {
  /** Blocks such as `10.1.0.0/16`, or single addresses. */
  readonly cidrs: readonly string[]
  /** Host names, compared without case. */
  readonly hosts: readonly string[]
}

/** Creates an allow-list from host names, addresses and blocks of addresses. */
export function toAllowList(entries: readonly string[]): AllowList {
  const isBlock = (entry: string) => parseCidr(entry) !== undefined
  return { cidrs: entries.filter(isBlock), hosts: entries.filter((entry) => !isBlock(entry)) }
}

/**
 * Looks a name up once and gives every address, IPv4 and IPv6, in the order of attempts; rejects when there is none.
 */
export type Resolve = (host: string, options: { readonly signal: AbortSignal }) => Promise<readonly string[]>

/** Decides whether a URL may be fetched, and from which addresses. */
export type FindTarget = (
  url: string | URL,
  options: { readonly trust: Trust; readonly signal: AbortSignal },
) => Promise<Target>

const MAX_URL_LENGTH = 8192

/** Usual ports of public web servers: those of the schemes and their alternatives. */
const PUBLIC_PORTS: ReadonlySet<string> = new Set(['80', '443', '8000', '8080', '8443', '8888'])

const DEFAULT_PORTS: Readonly<Record<string, string>> = { 'http:': '80', 'https:': '443' }

/** Gives the port of a URL, also the default one. */
export function readPort(url: URL): string {
  return url.port === '' ? (DEFAULT_PORTS[url.protocol] ?? '') : url.port
}

/** The system's resolver. It cannot be aborted; callers must stop waiting themselves. */
export const systemResolve: Resolve = async (host) => {
  const found = await lookup(host, { all: true, order: 'verbatim' })
  return found.map(({ address }) => address)
}

/**
 * Creates the rules for URLs (FETCH-1). Always: http and https, no credentials inside. For public trust also: a usual
 * port, no internal name, and a name is looked up once and refused when one of its addresses is not public. A host of
 * the allow-list is exempt from all of these. When all addresses of a host are in allowed blocks, its port and
 * addresses are exempt.
 *
 * @throws SvcError `invalid_cidr` for an invalid block. The created function throws `url_not_allowed`; a configured
 *   name that does not resolve is `fetch_failed`
 */
export function createTargetFinder({
  allow,
  resolve,
  isProxied = () => false,
}: {
  readonly allow: AllowList
  readonly resolve: Resolve
  /** Whether a URL goes to a proxy, which looks names up itself. @default never */
  readonly isProxied?: ((url: URL) => boolean) | undefined
}): FindTarget {
  const ranges = allow.cidrs.map(toRange)
  const hosts = new Set(allow.hosts.map((host) => removeDot(host.toLowerCase())))

  return async (text, { trust, signal }) => {
    signal.throwIfAborted()
    const { url, host } = parseUrl(text)
    const isExempt = trust === 'operator' || hosts.has(host)
    if (isIP(host) === 0 && !isExempt && isInternalName(host)) throw urlNotAllowed('internal_host')
    const addresses = isIP(host) === 0 ? await resolveName(host, { trust, signal, mayFail: isProxied(url) }) : [host]
    const refusal = isExempt ? undefined : findRefusal(readPort(url), addresses, ranges)
    if (refusal !== undefined) throw urlNotAllowed(refusal)
    return { url, host, addresses }
  }

  async function resolveName(
    host: string,
    { trust, signal, mayFail }: { trust: Trust; signal: AbortSignal; mayFail: boolean },
  ) {
    let cause: unknown
    try {
      const addresses = await unlessAborted(resolve(host, { signal }), signal)
      if (addresses.length > 0) return addresses
    } catch (error) {
      signal.throwIfAborted()
      cause = error
    }
    // Networks behind a proxy often know no names of others: the proxy then is the one that must refuse addresses.
    if (mayFail) return []
    throw trust === 'operator' ? fetchFailed('unresolvable', { trust, cause }) : urlNotAllowed('unresolvable', cause)
  }
}

function findRefusal(
  port: string,
  addresses: readonly string[],
  allowed: readonly AddressRange[],
): RefusalReason | undefined {
  const rest = addresses.filter((address) => !isWithin(address, allowed))
  if (addresses.length > 0 && rest.length === 0) return undefined
  if (rest.some((address) => classifyAddress(address) !== 'public')) return 'private_network'
  return PUBLIC_PORTS.has(port) ? undefined : 'port'
}

/** Parses the URL: canonical and without fragment, and its host. */
function parseUrl(text: string | URL): { readonly url: URL; readonly host: string } {
  if (String(text).length > MAX_URL_LENGTH || !URL.canParse(String(text))) throw urlNotAllowed('invalid_url')
  const url = new URL(text)
  if (url.protocol !== 'http:' && url.protocol !== 'https:') throw urlNotAllowed('scheme')
  if (url.username !== '' || url.password !== '') throw urlNotAllowed('credentials')
  url.hash = ''
  url.hostname = removeDot(url.hostname)
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1')
  if (isIP(host) === 0 && !isHostName(host)) throw urlNotAllowed('invalid_url')
  return { url, host }
}

function removeDot(name: string): string {
  return name.endsWith('.') ? name.slice(0, -1) : name
}

function toRange(cidr: string): AddressRange {
  const range = parseCidr(cidr)
  if (range !== undefined) return range
  throw new SvcError('invalid_request', `not an address or a block of addresses: ${cidr}`, { code: 'invalid_cidr' })
}

async function unlessAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  let stop = () => {}
  const aborted = new Promise<never>((_, reject) => {
    stop = () => reject(signal.reason)
    signal.addEventListener('abort', stop)
  })
  try {
    return await Promise.race([promise, aborted])
  } finally {
    signal.removeEventListener('abort', stop)
  }
}
