import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { formatProblem } from '../../../catalog/config-problem.ts'
import type { ModelUploads } from '../../../catalog/model-uploads.ts'
import { UPLOADS_FOLDER } from '../../../catalog/uploads-folder.ts'
import type { ServerFeature } from '../../../features/feature.ts'
import { readDisk } from '../../../monitoring/host-figures.ts'
import type { Platform } from '../../../platform/platform.ts'
import { modelAdminRoutes } from './reload.ts'
import { uploadRoutes } from './upload-routes.ts'

/** Administration of model files. */
export function modelFilesFeature(platform: Platform): ServerFeature {
  const { modelFiles, inference, config, modelGallery, bodies, clock } = platform
  let opened: Promise<ModelUploads> | undefined
  const openUploads = (): Promise<ModelUploads> => {
    opened ??= import('../../../catalog/model-uploads.ts').then(({ createModelUploads }) =>
      createModelUploads({
        ...{ modelsPath: config.modelsPath, modelFiles, now: () => clock.now() },
        readFreeBytes: async () => (await readDisk(config.modelsPath))?.available,
        alone: (change, options) => modelGallery.changeFolder(change, options),
      }),
    )
    return opened
  }
  return {
    routes: [
      ...modelAdminRoutes({
        async reload() {
          const { problems } = await modelFiles.reload()
          inference.opened()?.routing.routers.rebuild()
          return { problems: problems.map(formatProblem) }
        },
      }),
      ...uploadRoutes({ openUploads, bodies }),
    ],
    async start() {
      if (existsSync(join(config.modelsPath, UPLOADS_FOLDER))) await (await openUploads()).removeStale()
    },
    async close() {
      await (await opened)?.close()
    },
  }
}
