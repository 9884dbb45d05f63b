import { formatProblem } from '../../../catalog/config-problem.ts'
import { createLazy } from '../../../concurrency/lazy.ts'
import { readDisk } from '../../../monitoring/host-figures.ts'
import { readServerId } from '../../../operations/server-id.ts'
import type { ServerFeature } from '../../../platform/feature.ts'
import type { Platform } from '../../../platform/platform.ts'
import { modelAdminRoutes } from './reload.ts'
import { unusedRoutes } from './unused-routes.ts'
import { uploadRoutes } from './upload-routes.ts'

/** Administration of model files. */
export function modelFilesFeature(platform: Platform): ServerFeature {
  const { modelFiles, inference, config, modelGallery, bodies, settleReplicas } = platform
  const uploads = createLazy(async () => {
    const { createModelUploads } = await import('../../../catalog/model-uploads.ts')
    return createModelUploads({
      modelsPath: config.modelsPath,
      modelFiles,
      serverId: await readServerId(config.dataPath),
      readFreeBytes: async () => (await readDisk(config.modelsPath))?.available,
      alone: (change, options) => modelGallery.changeFolder(change, options),
    })
  })
  return {
    routes: [
      ...modelAdminRoutes({
        async reload() {
          const { problems, changed, removed } = await modelFiles.reload()
          inference.opened()?.routing.routers.rebuild()
          const pendingCleanup = await settleReplicas([...changed, ...removed])
          return { problems: problems.map(formatProblem), pendingCleanup }
        },
      }),
      ...uploadRoutes({ openUploads: uploads.open, bodies }),
      ...unusedRoutes({ gallery: modelGallery, bodies }),
    ],
    async close() {
      await (await uploads.settled())?.close()
    },
  }
}
