import { formatAddress } from '../config/places.ts'
import type { ServerConfig } from '../config/schema.ts'
import { StartRefused } from '../config/start-refused.ts'
import { isPublicBind } from '../http/public-bind.ts'
import type { Logger } from '../ports.ts'

/**
 * Warns where anybody may use the server from the internet.
 *
 * @throws {StartRefused} in that case with `--require-auth-on-public-bind`
 */
export function warnOfOpenDoor(
  config: ServerConfig,
  { isAuthConfigured, log }: { readonly isAuthConfigured: boolean; readonly log: Logger },
): void {
  if (isAuthConfigured || !isPublicBind(config.address.host ?? '')) return
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
