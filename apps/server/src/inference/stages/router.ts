import type { ModelConfig } from '../../catalog/model-config.ts'
import { isRouter, notServed, servesRequests } from '../../catalog/serving.ts'
import type { RequestRouter } from '../../routing/route-request.ts'
import type { ResolvedRequest, Stages } from '../pipeline.ts'
import { refuseDisabled } from './access.ts'

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
