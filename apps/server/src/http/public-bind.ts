import { BlockList, isIP } from 'node:net'
import { networkInterfaces } from 'node:os'

/** Networks that are not the public internet: this machine, private, link-local and carrier-grade NAT ranges. */
const PRIVATE = new BlockList()
for (const [address, bits] of [
  ['127.0.0.0', 8],
  ['10.0.0.0', 8],
  ['172.16.0.0', 12],
  ['192.168.0.0', 16],
  ['169.254.0.0', 16],
  ['100.64.0.0', 10],
] as const) {
  PRIVATE.addSubnet(address, bits, 'ipv4')
}
for (const [address, bits] of [
  ['::1', 128],
  ['fc00::', 7],
  ['fe80::', 10],
] as const) {
  PRIVATE.addSubnet(address, bits, 'ipv6')
}

/** Whether an address belongs to the public internet. */
export function isPublicAddress(address: string): boolean {
  const bare = address.split('%')[0] ?? address
  const version = isIP(bare)
  return version !== 0 && !PRIVATE.check(bare, version === 6 ? 'ipv6' : 'ipv4')
}

/**
 * Whether listening on this host can be reached from the public internet: a public address, or every address of a
 * machine that has one.
 */
export function isPublicBind(host: string, interfaces = networkInterfaces()): boolean {
  const everywhere = host === '' || host === '0.0.0.0' || host === '::'
  if (!everywhere) return isIP(host) === 0 ? host !== 'localhost' : isPublicAddress(host)
  return Object.values(interfaces).some((entries) => entries?.some((entry) => isPublicAddress(entry.address)))
}
