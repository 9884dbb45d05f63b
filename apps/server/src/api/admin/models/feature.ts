import { formatProblem } from '../../../catalog/config-problem.ts'
import type { ServerFeature } from '../../../features/feature.ts'
import type { Platform } from '../../../platform/platform.ts'
import { modelAdminRoutes } from './reload.ts'

/** Administration of model files. */
export function modelFilesFeature({ modelFiles, inference }: Platform): ServerFeature {
  return {
    routes: modelAdminRoutes({
      async reload() {
        const { problems } = await modelFiles.reload()
        inference.opened()?.routing.routers.rebuild()
        return { problems: problems.map(formatProblem) }
      },
    }),
  }
}
