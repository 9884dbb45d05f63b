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
  checkFederatedRoute(model, route)
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

/** Routes whose requests hold everything that their answer needs: any peer can serve them. */
const FEDERATED: ReadonlySet<string> = new Set([
  ...[CHAT, MESSAGES, '/v1/messages/count_tokens', '/v1/completions', '/v1/edits', '/v1/responses'],
  ...['/v1/embeddings', '/v1/rerank', '/v1/tokenize', '/v1/moderations'],
  ...['/v1/audio/transcriptions', '/v1/audio/translations', '/v1/audio/speech', '/v1/audio/vad'],
  ...['/v1/images/generations', '/v1/sound-generation'],
  ...['/api/chat', '/api/generate', '/api/embed', '/api/embeddings'],
])

function checkFederatedRoute(model: ModelConfig, { path }: RequestRoute): void {
  if (model.serving.kind === 'federated' && !FEDERATED.has(path))
    throw refused(`model "${model.name}" is served by a peer, which is not asked for ${path}`)
}

function refused(message: string): SvcError {
  return new SvcError('invalid_request', message, {
    code: 'route_not_served',
    details: { type: 'invalid_request_error', param: 'model' },
  })
}
