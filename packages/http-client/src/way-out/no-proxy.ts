import { BlockList, isIP } from 'node:net'

/** A host and port, the host in lower case and without brackets. */
export interface Destination {
  readonly host: string
  readonly port: number
}

/**
 * Reads a list such as `localhost,.example.com,10.0.0.0/8,host:8443`: which destinations go past the proxy. Names stand
 * for themselves and everything below them, with or without a leading dot or `*.`; addresses and blocks of addresses
 * stand for hosts that are written as addresses; `*` alone stands for everything. A port limits an entry to that port.
 */
export function readNoProxy(list: string): (destination: Destination) => boolean {
  const entries = list.split(/[\s,]+/).flatMap((entry) => (entry === '' ? [] : [readEntry(entry.toLowerCase())]))
  return (destination) => entries.some((isMatch) => isMatch(destination))
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

function readEntry(entry: string): (destination: Destination) => boolean {
  if (entry === '*') return () => true
  const [, six, name = '', digits] = /^(?:\[([0-9a-f:.]+)\]|(.*?))(?::(\d{1,5}))?$/.exec(entry) ?? []
  // An IPv6 address without brackets has colons and no port.
  const isBare = isIP(entry) === 6 || /^[0-9a-f:.]+\/\d+$/.test(entry)
  const place = isBare ? entry : (six ?? name)
  const port = isBare || digits === undefined ? undefined : Number(digits)
  const isHost = readPlace(place)
  return ({ host, port: wanted }) => (port === undefined || port === wanted) && isHost(host)
}

function readPlace(place: string): (host: string) => boolean {
  const [base = '', length] = place.split('/')
  const family = isIP(base)
  if (family !== 0) {
    const block = new BlockList()
    const bits = length === undefined ? (family === 4 ? 32 : 128) : Number(length)
    if (!Number.isInteger(bits) || bits > (family === 4 ? 32 : 128)) return () => false
    block.addSubnet(base, bits, family === 4 ? 'ipv4' : 'ipv6')
    return (host) => isIP(host) !== 0 && matchesBlock(host, block)
  }
  const name = place.replace(/^\*?\./, '').replace(/\.$/, '')
  if (name === '') return () => false
  return (host) => {
    const wanted = host.replace(/\.$/, '')
    return wanted === name || wanted.endsWith(`.${name}`)
  }
}

function matchesBlock(host: string, block: BlockList): boolean {
  return block.check(host, isIP(host) === 4 ? 'ipv4' : 'ipv6')
}
