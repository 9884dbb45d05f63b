import { isIPv4, isIPv6 } from 'node:net'

/**
 * Scope of an address. Only `public` may be reached for untrusted callers. `reserved` is every other address that is
 * not on the internet, and any text that is not an address.
 */
export type AddressScope = 'public' | 'loopback' | 'private' | 'link-local' | 'multicast' | 'metadata' | 'reserved'

/** A block of addresses. */
export interface AddressRange {
  readonly family: 4 | 6
  /** The address bits that all addresses of the block share. */
  readonly prefix: bigint
  /** Number of address bits after the prefix. */
  readonly freeBits: bigint
}

interface Address {
  readonly family: 4 | 6
  readonly value: bigint
}

/** Makes a value when it is first asked for: a start asks for none of them. */
function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined
  return () => {
    made ??= { value: make() }
    return made.value
  }
}

const BITS = { 4: 32, 6: 128 } as const

/**
 * Blocks that are not public: the IANA special-purpose registries (RFC 6890), multicast, and addresses in public blocks
 * at which a cloud answers its own machines.
 */
const SPECIAL_RANGES = once((): readonly (readonly [AddressScope, AddressRange])[] =>
  (
    [
      ['reserved', '0.0.0.0/8'],
      ['private', '10.0.0.0/8'],
      ['private', '100.64.0.0/10'],
      ['loopback', '127.0.0.0/8'],
      ['metadata', '168.63.129.16'],
      ['link-local', '169.254.0.0/16'],
      ['private', '172.16.0.0/12'],
      ['reserved', '192.0.0.0/24'],
      ['reserved', '192.0.2.0/24'],
      ['reserved', '192.88.99.0/24'],
      ['private', '192.168.0.0/16'],
      ['private', '198.18.0.0/15'],
      ['reserved', '198.51.100.0/24'],
      ['reserved', '203.0.113.0/24'],
      ['multicast', '224.0.0.0/4'],
      ['reserved', '240.0.0.0/4'],
      ['loopback', '::1'],
      ['private', 'fc00::/7'],
      ['link-local', 'fe80::/10'],
      ['private', 'fec0::/10'],
      ['multicast', 'ff00::/8'],
      // Teredo, benchmarking, ORCHID and other protocol assignments
      ['reserved', '2001::/23'],
      ['reserved', '2001:db8::/32'],
      // 6to4: a relay forwards to the embedded IPv4 address
      ['reserved', '2002::/16'],
      ['reserved', '3ffe::/16'],
      ['reserved', '3fff::/20'],
    ] as const
  ).map(([scope, cidr]) => [scope, mustParseCidr(cidr)]),
)

/** The only block from which public IPv6 addresses are assigned (RFC 4291). */
const GLOBAL_UNICAST = once(() => mustParseCidr('2000::/3'))
/** The translation of IPv4 for IPv6-only hosts (RFC 6052): leads to the IPv4 address in the last 32 bits. */
const NAT64 = once(() => mustParseCidr('64:ff9b::/96'))

/**
 * Classifies an address. IPv4-mapped and NAT64 addresses have the scope of the embedded IPv4 address.
 *
 * @param text as in a URL's host or from a name server: dotted decimal, or IPv6 without brackets
 */
export function classifyAddress(text: string): AddressScope {
  const address = parseAddress(text)
  if (address === undefined) return 'reserved'
  const carried = contains(NAT64(), address) ? toIpv4(address.value) : address
  const special = SPECIAL_RANGES().find(([, range]) => contains(range, carried))
  if (special !== undefined) return special[0]
  return carried.family === 4 || contains(GLOBAL_UNICAST(), carried) ? 'public' : 'reserved'
}

/** Whether an address is in one of the ranges; an IPv4-mapped address counts as the IPv4 address. */
export function isWithin(text: string, ranges: readonly AddressRange[]): boolean {
  const address = parseAddress(text)
  return address !== undefined && ranges.some((range) => contains(range, address))
}

/**
 * Parses a block such as `10.0.0.0/8`, or a single address; undefined for other text. Bits after the prefix are
 * ignored.
 */
export function parseCidr(text: string): AddressRange | undefined {
  const [, base = '', , length] = /^([^/]*)(\/(\d{1,3}))?$/.exec(text) ?? []
  const address = parseAddress(base)
  if (address === undefined) return undefined
  const bits = BITS[address.family]
  const prefixLength = length === undefined ? bits : Number(length)
  if (prefixLength > bits) return undefined
  const freeBits = BigInt(bits - prefixLength)
  return { family: address.family, prefix: address.value >> freeBits, freeBits }
}

function mustParseCidr(text: string): AddressRange {
  const range = parseCidr(text)
  if (range === undefined) throw new Error(`not an address range: ${text}`)
  return range
}

function contains(range: AddressRange, address: Address): boolean {
  return range.family === address.family && address.value >> range.freeBits === range.prefix
}

function parseAddress(text: string): Address | undefined {
  if (isIPv4(text)) return { family: 4, value: parseDotted(text) }
  // An address with a zone is valid only on this machine.
  if (!isIPv6(text) || text.includes('%')) return undefined
  const value = parseIpv6(text)
  return value >> 32n === 0xffffn ? toIpv4(value) : { family: 6, value }
}

function toIpv4(value: bigint): Address {
  return { family: 4, value: value & 0xffff_ffffn }
}

function parseDotted(text: string): bigint {
  return text.split('.').reduce((value, octet) => (value << 8n) | BigInt(octet), 0n)
}

function parseIpv6(text: string): bigint {
  const hex = text.replace(/\d+\.\d+\.\d+\.\d+$/, (dotted) => {
    const value = parseDotted(dotted)
    return `${(value >> 16n).toString(16)}:${(value & 0xffffn).toString(16)}`
  })
  const [left = '', right] = hex.split('::')
  const toGroups = (part: string) => (part === '' ? [] : part.split(':'))
  const before = toGroups(left)
  const after = toGroups(right ?? '')
  const zeros = Array.from({ length: 8 - before.length - after.length }, () => '0')
  return [...before, ...zeros, ...after].reduce((value, group) => (value << 16n) | BigInt(`0x${group}`), 0n)
}
