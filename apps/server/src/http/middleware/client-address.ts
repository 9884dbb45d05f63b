import { BlockList, isIP } from 'node:net'
import type { ServerRequest } from '../messages.ts'
import type { TunnelledClients } from '../tunnelled-clients.ts'

/** The proxies whose `X-Forwarded-*` headers are believed. */
export interface TrustedProxies {
  has(address: string): boolean
}

/**
 * Reads `--trusted-proxies`: addresses and CIDR ranges.
 *
 * @throws {RangeError} naming the entry that is neither
 */
export function trustedProxies(entries: readonly string[]): TrustedProxies {
  const list = new BlockList()
  for (const entry of entries) {
    const [address = '', prefix] = entry.trim().split('/')
    const version = isIP(address)
    const bits = prefix === undefined ? (version === 4 ? 32 : 128) : Number(prefix)
    if (version === 0 || !Number.isInteger(bits)) throw new RangeError(`not an address or CIDR range: ${entry}`)
    list.addSubnet(address, bits, version === 4 ? 'ipv4' : 'ipv6')
  }
  return {
    has: (address) =>
      entries.length > 0 && isIP(address) !== 0 && list.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4'),
  }
}

/** Whom a server believes, and whom it does not. */
export interface Clients {
  readonly proxies: TrustedProxies
  /** Clients whose connections come from this machine, which is not where they are. @default none */
  readonly tunnels?: Pick<TunnelledClients, 'find'> | undefined
}

/** Where a request comes from and how the client addressed the server. */
export interface Origin {
  /** A network address, or the name of a client behind a tunnel. */
  readonly address: string
  readonly secure: boolean
  readonly host: string
}

function firstToken(value: string | string[] | undefined): string | undefined {
  const text = Array.isArray(value) ? value[0] : value
  const token = text?.split(',')[0]?.trim()
  return token === '' ? undefined : token
}

/**
 * A prefix from a header that is safe in a link and in a redirect: segments of plain characters, none of them only
 * dots.
 */
const SAFE_PREFIX = /^(?:\/(?!\.{1,2}(?:\/|$))[A-Za-z0-9._~-]+)+\/?$/
const MAX_PREFIX_LENGTH = 255

/** Reads the prefix that a trusted proxy took off the path (`X-Forwarded-Prefix`): without a slash at its end, or ''. */
export function readPrefix(incoming: ServerRequest, { proxies, tunnels }: Clients): string {
  const prefix = firstToken(incoming.headers['x-forwarded-prefix'])
  if (prefix === undefined || !proxies.has(incoming.socket.remoteAddress ?? '')) return ''
  if (tunnels?.find(incoming.socket) !== undefined) return ''
  if (prefix.length > MAX_PREFIX_LENGTH || !SAFE_PREFIX.test(prefix)) return ''
  return prefix.endsWith('/') ? prefix.slice(0, -1) : prefix
}

/** The address of a hop. Some proxies add the port: `192.0.2.1:4711`, `[2001:db8::1]:4711`. */
function toAddress(hop: string): string {
  const text = hop.trim()
  const [, bracketed, plain] = /^(?:\[([^\]]*)\]|([\d.]+))(?::\d{1,5})?$/.exec(text) ?? []
  return bracketed ?? plain ?? text
}

/** Characters that a host from a header may hold, so that it is safe in a link. */
const SAFE_HOST = /^[A-Za-z0-9.\-_[\]:]{1,255}$/

/**
 * The client as seen directly, or as a trusted proxy in front reports it; forwarded headers of anybody else are ignored,
 * those of clients behind a tunnel among them.
 */
export function readOrigin(incoming: ServerRequest, { proxies, tunnels }: Clients): Origin {
  const peer = incoming.socket.remoteAddress ?? ''
  const host = incoming.headers.host ?? ''
  const client = tunnels?.find(incoming.socket)
  if (client !== undefined) return { address: client, secure: false, host }
  if (!proxies.has(peer)) return { address: peer, secure: false, host }
  const chain = (incoming.headers['x-forwarded-for'] ?? '').toString().split(',').map(toAddress)
  // What stands before the last hop that is no trusted proxy is the client's own text, also where that hop is unreadable.
  const last = chain.findLast((hop) => !proxies.has(hop)) ?? ''
  const address = isIP(last) === 0 ? peer : last
  const forwardedHost = firstToken(incoming.headers['x-forwarded-host'])
  return {
    address,
    secure: firstToken(incoming.headers['x-forwarded-proto'])?.toLowerCase() === 'https',
    host: forwardedHost !== undefined && SAFE_HOST.test(forwardedHost) ? forwardedHost : host,
  }
}
