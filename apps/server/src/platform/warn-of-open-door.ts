import { formatAddress } from '../config/places.ts'
import type { ServerConfig } from '../config/schema.ts'
import { StartRefused } from '../config/start-refused.ts'
import { isPublicBind } from '../http/public-bind.ts'
import type { Logger } from '../ports.ts'

/**
 * Warns where anybody may use the server from the internet.
 *
 * @throws {StartRefused} in that case with `--require-auth-on-public-bind`, and where every member of a peer-to-peer network
 *   could use the server: members are not known one by one
 */
export function warnOfOpenDoor(
  config: ServerConfig,
  {
    isAuthConfigured,
    isFederated,
    log,
  }: { readonly isAuthConfigured: boolean; readonly isFederated: boolean; readonly log: Logger },
): void {
  if (isAuthConfigured) return
  if (config.p2p && isFederated) {
    throw new StartRefused(
      'neither keys nor accounts are in use, and --p2p with --federated gives every member of the network full access: set --api-keys or --auth-enabled, or leave one of the two out',
      { exitCode: 78 },
    )
  }
  if (!isPublicBind(config.address.host ?? '')) return
  if (config.requireAuthOnPublicBind) {
    throw new StartRefused(
      'neither keys nor accounts are in use and the address can be reached from the internet: set --api-keys or --auth-enabled, or listen on another address',
      { exitCode: 78 },
    )
  }
  log.warn(
    { address: formatAddress(config.address) },
    'ANYBODY WHO REACHES THIS ADDRESS HAS FULL ACCESS: no key is set on a public address',
  )
}
