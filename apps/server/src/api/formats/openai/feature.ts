import {
  isPiiEnabled,
  listCapabilities,
  listInputModalities,
  listOutputModalities,
} from '../../../catalog/capabilities.ts'
import { mayUse } from '../../../catalog/model-access.ts'
import { hasModelServers } from '../../../mcp/model-texts.ts'
import type { ServerFeature } from '../../../platform/feature.ts'
import type { Platform } from '../../../platform/platform.ts'
import type { ModelListing } from './models.ts'
import { mcpChatRoute, openaiRoutes } from './routes.ts'

/** The compatible format. */
export function openaiFeature(platform: Platform): ServerFeature {
  const { settings } = platform
  const list: ModelListing['list'] = ({ principal, isOwn = false, ...listing }) =>
    platform.models
      .list(listing)
      .filter((model) => mayUse(principal, model) && !(isOwn && model.serving.kind === 'federated'))
      .map((model) => ({
        id: model.name,
        createdAt: model.modifiedAt,
        capabilities: () => ({
          capabilities: listCapabilities(model),
          input_modalities: listInputModalities(model),
          output_modalities: listOutputModalities(model),
          ...(model.name === settings.get('default_model') ? { default: true } : {}),
          ...(isPiiEnabled(model) ? { filtered: true } : {}),
          ...(hasModelServers(model) ? { tools: true } : {}),
          ...(settings.get('enable_tracing') ? { traced: true } : {}),
        }),
      }))
  const routes = openaiRoutes({ ...platform.inferenceRoutes, models: { list } })
  return { routes: platform.config.disableMcp ? routes : [...routes, mcpChatRoute(platform.inferenceRoutes)] }
}
