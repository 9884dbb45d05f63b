import { isIP } from 'node:net'
import { type NetworkInterfaceInfo, networkInterfaces } from 'node:os'
import type { OwnAddresses } from './write-answer.ts'

/** Settings of the addresses. */
export interface AddressSettings {
  /** Names of the network interfaces that are offered; empty for all. */
  readonly interfaces: readonly string[]
  /** Addresses under which the server is reached from outside. */
  readonly outside: readonly string[]
}

/**
 * Lists the addresses that a client is told. A client on this machine is told the address of the machine to itself, too:
 * it may be the only one that they share.
 *
 * @param clientAddress the address from which the client asked
 */
export function findOwnAddresses(
  { interfaces, outside }: AddressSettings,
  clientAddress: string,
  readInterfaces: () => NodeJS.Dict<NetworkInterfaceInfo[]> = networkInterfaces,
): OwnAddresses {
  const machine = interfaces.length === 0 ? undefined : readInterfaces()
  const allowed = machine && new Set(interfaces.flatMap((name) => machine[name]?.map(({ address }) => address) ?? []))
  const isHere = isLoopback(clientAddress)
  return { allowed, further: [...outside.filter((address) => isIP(address) !== 0), ...(isHere ? ['127.0.0.1'] : [])] }
}

function isLoopback(address: string): boolean {
  return address === '::1' || /^(?:::ffff:)?127\./.test(address)
}
