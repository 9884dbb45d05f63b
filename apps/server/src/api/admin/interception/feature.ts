import type { Unready } from '../../../monitoring/readiness.ts'
import type { ServerFeature } from '../../../platform/feature.ts'
import type { Platform } from '../../../platform/platform.ts'
import { interceptionRoutes } from './routes.ts'

const STARTING: Unready = { status: 'starting', reason: 'the intercepting proxy starts' }

/**
 * The intercepting proxy: its listener follows the setting `mitm_listen`. The server is not ready before the listener that
 * the start asks for accepts connections; one that cannot start keeps no API from being used.
 */
export function interceptionFeature({ settings, interception }: Platform): ServerFeature {
  let isStarted = false
  let isStarting = settings.get('mitm_listen') !== ''
  const follow = (): void => interception.follow(settings.get('mitm_listen'))
  return {
    routes: interceptionRoutes({ readCertificate: () => interception.readCertificate() }),
    start() {
      isStarted = true
      follow()
      void interception.settled().then(() => {
        isStarting = false
      })
    },
    settingsChanged(changed) {
      if (isStarted && changed.has('mitm_listen')) follow()
    },
    unready: () => (isStarting ? STARTING : undefined),
    // Runs beside the end of the API's own requests.
    drain: () => interception.drain(),
    close: () => interception.close(),
  }
}
