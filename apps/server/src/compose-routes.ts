import { join } from 'node:path'
import { type BackendRouteParts, backendRoutes } from './api/admin/backend/routes.ts'
import { brandingRoutes } from './api/admin/branding/branding.ts'
import { discoveryRoute } from './api/admin/discovery/discovery.ts'
import { instructionRoutes } from './api/admin/discovery/instructions.ts'
import { swaggerRoutes } from './api/admin/docs/swagger.ts'
import { type FailoverRouteParts, failoverRoutes } from './api/admin/failover/routes.ts'
import { type HomeExample, homeRoutes } from './api/admin/home.ts'
import { type MiddlewareFacts, middlewareRoute } from './api/admin/middleware/status.ts'
import { modelAdminRoutes } from './api/admin/models/reload.ts'
import { type PiiRouteParts, piiRoutes } from './api/admin/pii/routes.ts'
import { RESERVED_ROWS } from './api/admin/reserved.ts'
import { type SettingsAccess, settingsRoutes } from './api/admin/settings/settings.ts'
import { healthRoutes, type Readiness } from './api/admin/system/health.ts'
import { type ResourceFacts, resourceRoute } from './api/admin/system/resources.ts'
import { type SystemFacts, systemRoutes } from './api/admin/system/system.ts'
import { messagesRoutes } from './api/formats/messages/routes.ts'
import { ollamaRootRoute } from './api/formats/ollama/root.ts'
import { type OllamaParts, ollamaRoutes } from './api/formats/ollama/routes.ts'
import type { ModelListing } from './api/formats/openai/models.ts'
import { openaiRoutes } from './api/formats/openai/routes.ts'
import { rerankRoutes } from './api/formats/rerank/routes.ts'
import { responsesRoutes } from './api/formats/responses/routes.ts'
import { scoreRoutes } from './api/formats/score/routes.ts'
import { tokenizeRoutes } from './api/formats/tokenize/routes.ts'
import type { ServerConfig } from './config/schema.ts'
import type { BodyReader } from './http/body.ts'
import type { CompressionPolicy } from './http/compression.ts'
import { openApiDocument } from './http/openapi.ts'
import type { Route } from './http/route.ts'
import type { RouteRow } from './http/route-row.ts'
import type { DeliverTo } from './inference/deliver-reply.ts'
import type { RequestCore } from './inference/pipeline.ts'
import type { Clock } from './ports.ts'
import type { LiveResponses } from './responses/live-responses.ts'
import type { ResponseStore } from './responses/response-store.ts'

/** What the rows are made of. */
export interface RouteParts {
  readonly config: ServerConfig
  readonly clock: Clock
  readonly store: ResponseStore
  readonly live: LiveResponses
  readonly core: RequestCore
  readonly deliverTo: DeliverTo
  readonly compression: CompressionPolicy
  readonly bodies: BodyReader
  readonly models: ModelListing & { reload(): Promise<{ readonly problems: readonly string[] }> }
  readonly settings: SettingsAccess & {
    text(key: 'instance_name' | 'instance_tagline' | 'logo_file' | 'logo_horizontal_file' | 'favicon_file'): string
  }
  readonly homeExample: () => HomeExample
  readonly readiness: Readiness
  readonly system: SystemFacts
  readonly resources: ResourceFacts
  readonly ollama: OllamaParts
  readonly pii: Omit<PiiRouteParts, 'bodies'>
  readonly middleware: MiddlewareFacts
  readonly failover: Omit<FailoverRouteParts, 'clock'>
  readonly backends: Omit<BackendRouteParts, 'bodies' | 'opaqueErrors'>
}

/** The route table: every row this server has, and those that only gate. */
export function composeRoutes(parts: RouteParts): {
  readonly routes: readonly Route[]
  readonly reserved: readonly RouteRow[]
} {
  const { config, settings, system } = parts
  const rows = (): readonly RouteRow[] => routes
  const document = (): Record<string, unknown> => openApiDocument(rows(), system.version)
  const routes: Route[] = [
    ...healthRoutes(parts.readiness),
    ...(config.ollamaApiRootEndpoint ? [ollamaRootRoute()] : []),
    ...(config.disableWebui
      ? []
      : homeRoutes(system.version, { root: !config.ollamaApiRootEndpoint, example: parts.homeExample })),
    discoveryRoute({ version: system.version, rows }),
    ...instructionRoutes(document),
    ...swaggerRoutes(document),
    ...brandingRoutes({
      folder: join(config.configDir, 'branding'),
      branding: () => ({
        instanceName: settings.text('instance_name'),
        instanceTagline: settings.text('instance_tagline'),
        files: {
          logo: settings.text('logo_file'),
          logo_horizontal: settings.text('logo_horizontal_file'),
          favicon: settings.text('favicon_file'),
        },
      }),
    }),
    ...systemRoutes(system),
    resourceRoute(parts.resources),
    ...backendRoutes({ ...parts.backends, bodies: parts.bodies, opaqueErrors: config.opaqueErrors }),
    ...modelAdminRoutes(parts.models),
    ...openaiRoutes(parts),
    ...ollamaRoutes(parts.ollama, parts),
    ...messagesRoutes(parts),
    ...responsesRoutes({ ...parts, opaqueErrors: config.opaqueErrors }),
    ...rerankRoutes(parts),
    ...tokenizeRoutes(parts),
    ...scoreRoutes(parts),
    ...piiRoutes({ ...parts.pii, bodies: parts.bodies }),
    middlewareRoute(parts.middleware),
    ...failoverRoutes({ ...parts, ...parts.failover, opaqueErrors: config.opaqueErrors }),
    ...(config.disableRuntimeSettings ? [] : settingsRoutes(settings, parts.bodies)),
  ]
  return { routes, reserved: RESERVED_ROWS }
}
