import { listCapabilities, listInputModalities, listOutputModalities } from '../../../catalog/capabilities.ts'
import type { ServerFeature } from '../../../features/feature.ts'
import type { Platform } from '../../../platform/platform.ts'
import type { ListedModel } from './models.ts'
import { openaiRoutes } from './routes.ts'

/** The compatible format. */
export function openaiFeature(platform: Platform): ServerFeature {
  const list = (listing: { readonly includeReferenced: boolean }): ListedModel[] =>
    platform.models.list(listing).map((model) => ({
      id: model.name,
      createdAt: model.modifiedAt,
      capabilities: () => ({
        capabilities: listCapabilities(model),
        input_modalities: listInputModalities(model),
        output_modalities: listOutputModalities(model),
      }),
    }))
  return { routes: openaiRoutes({ ...platform.inferenceRoutes, models: { list } }) }
}
