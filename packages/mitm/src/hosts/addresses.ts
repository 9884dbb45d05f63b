import { BlockList, isIP, isIPv6 } from 'node:net'
import { networkInterfaces } from 'node:os'

/** Link-local addresses, and the addresses at which clouds hand credentials to their machines. */
const FORBIDDEN = new BlockList()
FORBIDDEN.addSubnet('169.254.0.0', 16, 'ipv4')
FORBIDDEN.addAddress('100.100.100.200', 'ipv4')
FORBIDDEN.addAddress('168.63.129.16', 'ipv4')
FORBIDDEN.addAddress('192.0.0.192', 'ipv4')
FORBIDDEN.addSubnet('fe80::', 10, 'ipv6')
FORBIDDEN.addAddress('fd00:ec2::254', 'ipv6')
FORBIDDEN.addAddress('fd20:ce::254', 'ipv6')

const THIS_MACHINE = new BlockList()
THIS_MACHINE.addSubnet('127.0.0.0', 8, 'ipv4')
THIS_MACHINE.addSubnet('0.0.0.0', 8, 'ipv4')
THIS_MACHINE.addAddress('::1', 'ipv6')
THIS_MACHINE.addAddress('::', 'ipv6')

/** The IPv4 address within a mapped, compatible, NAT64 or 6to4 address. */
function findInnerIpv4(address: string): string | undefined {
  const groups = expandIpv6(address)
  const [first, second, third] = groups
  const isMapped = groups.slice(0, 5).every((group) => group === 0) && (groups[5] === 0xffff || groups[5] === 0)
  const isNat64 = first === 0x64 && second === 0xff9b
  if (first === 0x2002) return toIpv4(second ?? 0, third ?? 0)
  if (!isMapped && !isNat64) return undefined
  const [high = 0, low = 0] = groups.slice(6)
  return high === 0 && low <= 1 ? undefined : toIpv4(high, low)
}

function toIpv4(high: number, low: number): string {
  return [high >> 8, high & 0xff, low >> 8, low & 0xff].join('.')
}

function expandIpv6(address: string): number[] {
  const canonical = new URL(`http://[${address}]`).hostname.slice(1, -1)
  const [head = '', tail] = canonical.split('::')
  const left = head === '' ? [] : head.split(':')
  const right = tail === undefined || tail === '' ? [] : tail.split(':')
  const zeros = tail === undefined ? [] : Array.from({ length: 8 - left.length - right.length }, () => '0')
  return [...left, ...zeros, ...right].map((group) => Number.parseInt(group, 16))
}

function isIn(list: BlockList, address: string): boolean {
  const bare = address.split('%')[0] ?? address
  if (isIP(bare) === 0) return false
  if (!isIPv6(bare)) return list.check(bare, 'ipv4')
  const inner = findInnerIpv4(bare)
  return list.check(bare, 'ipv6') || (inner !== undefined && list.check(inner, 'ipv4'))
}

/** Whether an address is link-local or hands out credentials of a cloud: no connection goes there. */
export function isForbiddenAddress(address: string): boolean {
  return isIn(FORBIDDEN, address)
}

/** Whether an address leads back to this machine. */
export function isOwnAddress(address: string): boolean {
  if (isIn(THIS_MACHINE, address)) return true
  const plain = isIPv6(address) ? (findInnerIpv4(address) ?? address) : address
  return Object.values(networkInterfaces()).some((entries) => entries?.some((entry) => entry.address === plain))
}
