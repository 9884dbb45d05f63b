import { isIP } from 'node:net'
import { domainToASCII } from 'node:url'
import { checkArgument } from '@svc/errors'

/** The target of a CONNECT request, or a server that the host runs itself. */
export interface HostAndPort {
  /** In canonical form: see {@link canonicalHost}. */
  readonly host: string
  readonly port: number
}

const MAX_HOST_LENGTH = 253
/** Characters that change the meaning of a name in an URL, or that an URL cannot have there. */
const FORBIDDEN = /[\s%/?#@:\\<>^|[\]]/
const LABEL = /^[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?$/

/**
 * Converts a host name or address to the form in which hosts are compared: lower case, ASCII, without brackets and
 * without the trailing dot. All spellings of an IP address get the same form.
 *
 * @returns undefined for a text that is not a host
 */
export function canonicalHost(text: string): string | undefined {
  checkArgument(typeof text === 'string', 'canonicalHost: text', 'a text', text)
  const bare = text.startsWith('[') && text.endsWith(']') ? text.slice(1, -1) : text
  if (bare.includes(':')) return canonicalIpv6(bare)
  if (bare !== text || FORBIDDEN.test(bare)) return undefined
  const ascii = domainToASCII(bare.endsWith('.') ? bare.slice(0, -1) : bare)
  if (ascii === '' || ascii.length > MAX_HOST_LENGTH) return undefined
  return isIP(ascii) === 4 || ascii.split('.').every((label) => LABEL.test(label)) ? ascii : undefined
}

function canonicalIpv6(text: string): string | undefined {
  return isIP(text) === 6 && !text.includes('%') ? new URL(`http://[${text}]`).hostname.slice(1, -1) : undefined
}

/**
 * Reads `host:port` as CONNECT has it.
 *
 * @param defaultPort for a text without a port; without it the port is required
 */
export function readHostAndPort(text: string, defaultPort?: number): HostAndPort | undefined {
  const match = /^(?<name>\[[^\]]*\]|[^:]*)(?::(?<digits>\d{1,5}))?$/.exec(text)
  const { name, digits } = match?.groups ?? {}
  const host = name === undefined ? undefined : canonicalHost(name)
  const port = digits === undefined ? defaultPort : Number(digits)
  if (host === undefined || port === undefined || port < 1 || port > 65_535) return undefined
  return { host, port }
}

/** Writes a host for an URL or a `Host` header: with brackets around an IPv6 address. */
export function bracketed(host: string): string {
  return host.includes(':') ? `[${host}]` : host
}
