import type { ServerFeature } from '../../../features/feature.ts'
import type { Platform } from '../../../platform/platform.ts'
import { interceptionRoutes } from './routes.ts'

/** The intercepting proxy: its listener follows the setting `mitm_listen`. */
export function interceptionFeature({ settings, interception }: Platform): ServerFeature {
  let isStarted = false
  const follow = (): void => interception.follow(settings.get('mitm_listen'))
  return {
    routes: interceptionRoutes({ readCertificate: () => interception.readCertificate() }),
    start() {
      isStarted = true
      follow()
    },
    settingsChanged(changed) {
      if (isStarted && changed.has('mitm_listen')) follow()
    },
    // Runs beside the end of the API's own requests.
    drain: () => interception.drain(),
    close: () => interception.close(),
  }
}
