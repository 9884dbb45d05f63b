import type * as z from 'zod'
import { pathPrefix } from '../../../http/call.ts'
import { json } from '../../../http/json.ts'
import { defineRoute, type Route } from '../../../http/route.ts'
import type { RouteInfo } from '../../../http/route-info.ts'
import type { discoveryReply } from './schemas.ts'

/** Names of endpoints in the document; those without a route are left out. */
const ENDPOINTS: Readonly<Record<string, string>> = {
  models: '/v1/models',
  models_capabilities: '/v1/models/capabilities',
  chat_completions: '/v1/chat/completions',
  completions: '/v1/completions',
  embeddings: '/v1/embeddings',
  config_json: '/api/models/config-json/:name',
  tts: '/v1/audio/speech',
  transcription: '/v1/audio/transcriptions',
  image_generation: '/v1/images/generations',
  swagger: '/swagger',
  instructions: '/api/instructions',
}

const GROUPS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  openai_compatible: {
    chat_completions: '/v1/chat/completions',
    completions: '/v1/completions',
    embeddings: '/v1/embeddings',
    models: '/v1/models',
  },
  model_management: { reload: '/models/reload' },
  monitoring: {
    metrics: '/metrics',
    backend_monitor: '/backend/monitor',
    backend_shutdown: '/backend/shutdown',
    backend_load: '/backend/load',
    system: '/system',
    version: '/version',
    traces: '/api/traces',
  },
  settings: { get: '/api/settings', update: '/api/settings' },
  stores: { set: '/stores/set', get: '/stores/get', delete: '/stores/delete', find: '/stores/find' },
  docs: { swagger: '/swagger', instructions: '/api/instructions' },
}

/** Capabilities by the path that proves them. */
const CAPABILITIES: Readonly<Record<string, string>> = {
  config_metadata: '/api/models/config-metadata',
  config_patch: '/api/models/config-json/:name',
  vram_estimate: '/api/models/vram-estimate',
  mcp: '/v1/mcp/chat/completions',
  agents: '/api/agents',
  p2p: '/api/p2p',
  tracing: '/api/traces',
  voice_profiles: '/v1/voice-profiles',
}

/** Keeps the addresses of served paths. */
function selectServed(
  paths: Readonly<Record<string, string>>,
  { routes, prefix }: { readonly routes: ReadonlySet<string>; readonly prefix: string },
): Record<string, string> {
  return Object.fromEntries(
    Object.entries(paths)
      .filter(([, path]) => routes.has(path))
      .map(([name, path]) => [name, `${prefix}${path}`]),
  )
}

/** `/.well-known/service.json` (§4.1): the server's offers, read from its route table. */
export function discoveryRoute(facts: { version: string; routes: () => readonly RouteInfo[] }): Route {
  return defineRoute({
    method: 'GET',
    path: '/.well-known/service.json',
    access: 'none',
    family: 'compatible',
    tag: 'discovery',
    summary: 'Offers of this server',
    responses: {
      200: {
        description: 'Endpoints by name and capabilities.',
        schema: async () => (await import('./schemas.ts')).discoveryReply,
      },
    },
    handler(call) {
      const prefix = pathPrefix(call)
      const routes = new Set(
        facts
          .routes()
          .filter((route) => route.gateOnly !== true)
          .map((route) => route.path),
      )
      const groups = Object.entries(GROUPS)
        .map(([name, paths]) => [name, selectServed(paths, { routes, prefix })] as const)
        .filter(([, paths]) => Object.keys(paths).length > 0)
      return json({
        version: facts.version,
        endpoints: selectServed(ENDPOINTS, { routes, prefix }),
        endpoint_groups: Object.fromEntries(groups),
        capabilities: Object.fromEntries(Object.entries(CAPABILITIES).map(([name, path]) => [name, routes.has(path)])),
      } satisfies z.infer<typeof discoveryReply>)
    },
  })
}
