import type { ModelConfig } from '../../catalog/model-config.ts'
import { isRouter, notServed, servesRequests } from '../../catalog/serving.ts'
import type { ResolvedRequest, Stages } from '../core/pipeline.ts'
import { refuseDisabled } from './access.ts'

/** Picks the model that serves a request of a router. */
export interface RequestRouter {
  /**
   * @throws {SvcError} `route_not_served`, `unparsable_body`; `router_depth`, `router_no_fallback`,
   *   `router_model_missing` (internal); the end of the request
   */
  route(request: ResolvedRequest): Promise<ModelConfig>
}

/**
 * Has a router pick the model that serves (§6.4). A picked model is refused as if the client had asked for it; the stages
 * that follow decide about it and not about the router.
 */
export function createRouterStage({ route }: RequestRouter): Stages['router'] {
  return (request) => (isRouter(request.model) ? pick(request) : request.model)

  async function pick(request: ResolvedRequest): Promise<ModelConfig> {
    refuseDisabled(request.model)
    const model = await route(request)
    if (!servesRequests(model)) throw notServed(model)
    return model
  }
}
