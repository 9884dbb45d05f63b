import { BlockList, isIP } from 'node:net'
import { domainToASCII } from 'node:url'

/** A host and port, the host in lower case and without brackets. */
export interface Destination {
  readonly host: string
  readonly port: number
}

/** Whether a destination is meant by an entry of a list. */
type Matches = (destination: Destination) => boolean

/**
 * Reads a list such as `localhost,.example.com,10.0.0.0/8,host:8443` of destinations that go past the proxy. A name
 * matches itself and everything below it, with or without a leading dot or `*.`, also in other scripts. An address or
 * a block of addresses matches hosts that are written as addresses. `*` matches everything. A port limits an entry to
 * that port. An entry that cannot be read matches nothing.
 */
export function readNoProxy(list: string): Matches {
  const entries = split(list).flatMap((entry) => readEntry(entry) ?? [])
  return (destination) => entries.some((isMatch) => isMatch(destination))
}

/** Whether {@link readNoProxy} can read every entry of a list. */
export function isNoProxyList(list: string): boolean {
  return split(list).every((entry) => readEntry(entry) !== undefined)
}

function split(list: string): string[] {
  return list.split(/[\s,]+/).flatMap((entry) => (entry === '' ? [] : [entry.toLowerCase()]))
}

/** Whether a destination is this machine: nothing that is meant for it leaves it. */
export function isOwnMachine(host: string): boolean {
  if (isIP(host) !== 0) return matchesBlock(host, LOOPBACK)
  const name = host.replace(/\.$/, '').toLowerCase()
  return name === 'localhost' || name.endsWith('.localhost')
}

const LOOPBACK = new BlockList()
LOOPBACK.addSubnet('127.0.0.0', 8, 'ipv4')
LOOPBACK.addAddress('::1', 'ipv6')
LOOPBACK.addAddress('::', 'ipv6')
LOOPBACK.addAddress('0.0.0.0', 'ipv4')

/** @returns undefined for an invalid block of addresses */
function readEntry(entry: string): Matches | undefined {
  // An IPv6 address without brackets has colons and no port.
  const isBare = isIP(entry.split('/')[0] ?? '') === 6
  const [, six, name = '', length, digits] = isBare
    ? (/^(.*?)()(\/.*)?$/.exec(entry) ?? [])
    : (/^(?:\[([^\]/]*)\]|([^/]*?))(\/.*?)?(?::(\d{1,5}))?$/.exec(entry) ?? [])
  const port = digits === undefined ? undefined : Number(digits)
  const isHost = readPlace({ six, name, length })
  return isHost && (({ host, port: wanted }) => (port === undefined || port === wanted) && isHost(host))
}

interface Place {
  /** An IPv6 address. */
  readonly six: string | undefined
  readonly name: string
  /** Prefix length of a block, with its slash. */
  readonly length: string | undefined
}

function readPlace({ six, name, length }: Place): ((host: string) => boolean) | undefined {
  const base = six ?? name
  const family = isIP(base)
  if (family !== 0 && (six === undefined || family === 6)) return readBlock(base, length)
  if (six !== undefined || length !== undefined) return undefined
  if (name === '*') return () => true
  const suffix = toAscii(name.replace(/^\*?\./, ''))
  if (suffix === '') return () => false
  return (host) => {
    const wanted = toAscii(host)
    return wanted === suffix || wanted.endsWith(`.${suffix}`)
  }
}

function readBlock(base: string, length: string | undefined): ((host: string) => boolean) | undefined {
  const isFour = isIP(base) === 4
  const most = isFour ? 32 : 128
  if (length !== undefined && !/^\/\d{1,3}$/.test(length)) return undefined
  const bits = length === undefined ? most : Number(length.slice(1))
  if (bits > most) return undefined
  const block = new BlockList()
  block.addSubnet(base, bits, isFour ? 'ipv4' : 'ipv6')
  return (host) => isIP(host) !== 0 && matchesBlock(host, block)
}

/** A name as URLs have it: other scripts in their ASCII form, without a dot at the end. */
function toAscii(name: string): string {
  const isAscii = /^\p{ASCII}*$/u.test(name)
  return (isAscii ? name : domainToASCII(name)).replace(/\.$/, '')
}

function matchesBlock(host: string, block: BlockList): boolean {
  return block.check(host, isIP(host) === 4 ? 'ipv4' : 'ipv6')
}
