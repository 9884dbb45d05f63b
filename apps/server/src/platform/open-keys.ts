import { formatAddress } from '../config/places.ts'
import type { ServerConfig } from '../config/schema.ts'
import { StartRefused } from '../config/start-refused.ts'
import { type Authenticator, createLegacyKeyAuthenticator } from '../http/middleware/authenticate.ts'
import { isPublicBind } from '../http/public-bind.ts'
import type { Logger } from '../ports.ts'
import type { Settings } from '../settings/settings.ts'
import type { Closers } from './closers.ts'

/** Options of {@link openKeys}. */
export interface KeysOptions {
  readonly config: ServerConfig
  readonly settings: Pick<Settings, 'legacyKeys' | 'subscribe'>
  /** @default the shared keys of the settings */
  readonly authenticator: Authenticator | undefined
  readonly log: Logger
}

/**
 * Opens the authenticator of the server. Warns when anyone on the internet may use the server.
 *
 * @throws {StartRefused} in that case with `--require-auth-on-public-bind`
 */
export function openKeys({ config, settings, authenticator, log }: KeysOptions, closers: Closers): Authenticator {
  const sharedKeys = createLegacyKeyAuthenticator(settings.legacyKeys())
  closers.push(
    settings.subscribe((changed) => {
      if (changed.has('api_keys')) sharedKeys.replace(settings.legacyKeys())
    }),
  )
  const chosen = authenticator ?? sharedKeys
  warnOfOpenDoor(config, chosen.configured, log)
  return chosen
}

function warnOfOpenDoor(config: ServerConfig, authConfigured: boolean, log: Logger): void {
  if (authConfigured || !isPublicBind(config.address.host ?? '')) return
  if (config.requireAuthOnPublicBind) {
    throw new StartRefused(
      'no key is set and the address can be reached from the internet: set --api-keys or listen on another address',
      { exitCode: 78 },
    )
  }
  log.warn(
    { address: formatAddress(config.address) },
    'ANYBODY WHO REACHES THIS ADDRESS HAS FULL ACCESS: no key is set on a public address',
  )
}
