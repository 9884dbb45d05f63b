import type { ServerFeature } from '../../../features/feature.ts'
import type { Platform } from '../../../platform/platform.ts'
import { createConfigFiles } from './config-files.ts'
import { modelConfigRoutes } from './routes.ts'

/** Model files, read and changed over HTTP. */
export function modelConfigFeature({ config, modelFiles, bodies }: Platform): ServerFeature {
  const files = createConfigFiles({ modelsPath: config.modelsPath, modelFiles })
  return { routes: modelConfigRoutes({ files, modelFiles, bodies }) }
}
