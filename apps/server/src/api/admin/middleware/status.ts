import type { MiddlewareStatus } from '@svc/wire/native'
import { isPiiCovered, isPiiEnabled } from '../../../catalog/capabilities.ts'
import type { ModelConfig } from '../../../catalog/model-config.ts'
import { json } from '../../../http/json.ts'
import { defineRoute, type Route } from '../../../http/route.ts'
import { findConsumerPolicy } from '../../../pii/consumer-policy.ts'
import { findDetectorKind } from '../../../pii/detector-model.ts'
import { describeInterception, type InterceptionFacts } from './interception.ts'

const wire = () => import('@svc/wire/native')

/** Options of {@link middlewareRoute}. */
export interface MiddlewareFacts {
  models(): readonly ModelConfig[]
  defaultDetectors(): readonly string[]
  countEvents(): Promise<number>
  readonly interception: InterceptionFacts
  routerStatus(signal: AbortSignal): Promise<MiddlewareStatus['router']>
  /** Number of running requests of a model. */
  inFlight(model: string): number
}

/** Backends whose models are filtered unless their file switches it off. */
const FILTERED_BACKENDS = ['cloud-proxy']

/** `GET /api/middleware/status`: filters, routers, interception and limits of requests (§4.8). */
export function middlewareRoute(facts: MiddlewareFacts): Route {
  return defineRoute({
    method: 'GET',
    path: '/api/middleware/status',
    access: 'admin',
    family: 'compatible',
    tag: 'pii',
    summary: 'Filters, routers, interception and limits of requests',
    quiet: true,
    revalidated: true,
    responses: {
      200: { description: 'The state of this moment.', schema: async () => (await wire()).middlewareStatus },
    },
    async handler({ signal }) {
      const models = facts.models().filter(({ alias }) => alias === undefined)
      const defaults = facts.defaultDetectors()
      const status: MiddlewareStatus = {
        pii: {
          enabled_globally: true,
          default_enabled_for_backends: FILTERED_BACKENDS,
          models: models.filter(isPiiCovered).map((model) => toConsumer(model, defaults)),
          detector_models: listDetectors(models, defaults),
          recent_event_count: await facts.countEvents(),
          default_detectors: [...defaults],
        },
        router: await facts.routerStatus(signal),
        mitm: await describeInterception(facts.interception),
        admission: {
          models: models
            .filter(({ limits }) => limits.maxConcurrent > 0)
            .map(({ name, limits }) => ({
              name,
              max_concurrent: limits.maxConcurrent,
              retry_after_seconds: limits.retryAfterSeconds,
              in_flight: facts.inFlight(name),
            })),
        },
      }
      return json(status)
    },
  })
}

function toConsumer(model: ModelConfig, defaults: readonly string[]): MiddlewareStatus['pii']['models'][number] {
  const { detectors, isDefault } = findConsumerPolicy(model, defaults)
  return {
    name: model.name,
    backend: model.backend,
    enabled: isPiiEnabled(model),
    detectors: [...detectors],
    explicit: model.pii.enabled !== undefined,
    default_for_backend: FILTERED_BACKENDS.includes(model.backend.toLowerCase()),
    detectors_from_default: isDefault && detectors.length > 0,
  }
}

/** Lists every detector, and the names in policies that no detector has. */
function listDetectors(
  models: readonly ModelConfig[],
  defaults: readonly string[],
): MiddlewareStatus['pii']['detector_models'] {
  const known = models.filter(({ piiDetection }) => piiDetection !== undefined)
  const names = new Set(known.map(({ name }) => name))
  const asked = [...defaults, ...models.flatMap(({ pii }) => pii.detectors ?? [])]
  const missing = [...new Set(asked)].filter((name) => !names.has(name))
  return [
    ...known.map((model) => ({
      name: model.name,
      backend: model.backend,
      type: findDetectorKind(model) ?? ('unknown' as const),
      default: defaults.includes(model.name),
    })),
    ...missing.map((name) => ({
      name,
      backend: '',
      type: 'unknown' as const,
      default: defaults.includes(name),
      missing: true,
    })),
  ]
}
