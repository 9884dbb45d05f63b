import type { ServerFeature } from '../../../platform/feature.ts'
import type { Platform } from '../../../platform/platform.ts'
import { swaggerRoutes } from './swagger.ts'

/** The OpenAPI document and the page that shows it. */
export function documentationFeature({ version, routes }: Platform): ServerFeature {
  return {
    routes: swaggerRoutes(async () => {
      const { openApiDocument } = await import('../../../http/openapi.ts')
      return openApiDocument(routes(), version)
    }),
  }
}
