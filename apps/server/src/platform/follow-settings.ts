import type { Bus } from '../bus/bus.ts'
import type { ServerConfig } from '../config/schema.ts'
import type { RootLogger } from '../logging/log.ts'
import type { Settings } from '../settings/settings.ts'
import type { BackendModule } from './compose-backends.ts'

/** Passes changed settings to the parts of the platform. @returns a function that ends this */
export function followSettings(
  {
    config,
    settings,
    bus,
    log,
  }: { readonly config: ServerConfig; readonly settings: Settings; readonly bus: Bus; readonly log: RootLogger },
  { backends, useSettings }: { readonly backends: BackendModule; readonly useSettings: () => void },
): () => void {
  const { catalog, residency, watchdog } = backends
  return bus.subscribe('settings.changed', ({ keys }) => {
    if (keys.includes('external_backends')) {
      catalog
        .setExternal(Object.fromEntries(settings.externalBackends()))
        .catch((error: unknown) => log.error({ err: error }, 'external backends could not be read'))
    }
    useSettings()
    residency.reconsider()
    watchdog.wake()
    log.level = settings.get('debug') ? 'debug' : config.logLevel
  })
}
