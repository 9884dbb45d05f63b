import { readServerId } from '../../../operations/server-id.ts'
import type { ServerFeature } from '../../../platform/feature.ts'
import type { Platform } from '../../../platform/platform.ts'
import { createLazyConfigFiles } from './lazy-config-files.ts'
import { modelConfigRoutes } from './routes.ts'

/** Model files, read and changed over HTTP. */
export function modelConfigFeature({
  config,
  modelFiles,
  models,
  modelGallery,
  keyFileGate,
  places,
  bodies,
  settleReplicas,
}: Platform): ServerFeature {
  // A change that has begun to wait is carried out, also where its caller has left.
  const files = createLazyConfigFiles({
    modelsPath: config.modelsPath,
    modelFiles,
    keyFileGate,
    places,
    readServerId: () => readServerId(config.dataPath),
    alone: (change) => modelGallery.changeFolder(change, { signal: new AbortController().signal }),
  })
  return { routes: modelConfigRoutes({ files, modelFiles, models, bodies, settleReplicas }) }
}
