import { SvcError } from '@svc/errors'
import type { ModelConfig } from '../../../catalog/model-config.ts'
import { livesUpstream } from '../../../catalog/serving.ts'
import type { RequestRoute } from '../../core/ports.ts'

const CHAT = '/v1/chat/completions'
const MESSAGES = '/v1/messages'
/** Chat with the tools of MCP servers. No upstream knows it: only translated requests may have it. */
const MCP_CHAT = '/v1/mcp/chat/completions'

/** Whether a route serves models upstream at all. */
export function servesCloudModels({ path }: RequestRoute): boolean {
  return path === CHAT || path === MESSAGES || path === MCP_CHAT
}

/**
 * Refuses a route that the upstream does not serve: a relayed request has the format of the upstream.
 *
 * @throws {SvcError} `invalid_request` naming the route to use
 */
export function checkUpstreamRoute(model: ModelConfig, route: RequestRoute): void {
  if (!livesUpstream(model)) return
  if (!servesCloudModels(route)) {
    throw refused(`model "${model.name}" lives upstream and is served by ${CHAT} and ${MESSAGES} only`)
  }
  const { serving } = model
  if (serving.kind !== 'relay') return
  const served = serving.provider === 'provider_b' ? MESSAGES : CHAT
  if (route.path !== served) {
    throw refused(`model "${model.name}" is forwarded as it comes, in the format of its upstream: use ${served}`)
  }
}

function refused(message: string): SvcError {
  return new SvcError('invalid_request', message, {
    code: 'route_not_served',
    details: { type: 'invalid_request_error', param: 'model' },
  })
}
