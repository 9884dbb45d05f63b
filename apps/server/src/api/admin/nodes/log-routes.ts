import { SvcError } from '@svc/errors'
import type { Call } from '../../../http/call.ts'
import type { HttpReply } from '../../../http/http-reply.ts'
import { json } from '../../../http/json.ts'
import { defineRoute, type Route } from '../../../http/route.ts'
import { admin } from './admin-routes.ts'
import type { NodeRouteParts } from './parts.ts'

const MAX_LOG_BYTES = 16 * 1024 * 1024
const LOG_MS = 15_000
const LOGS = '/api/nodes/:id/backend-logs'

/** What backends of a worker have written, as the worker itself answers. */
export function nodeLogRoutes(parts: NodeRouteParts): Route[] {
  const readLogs = (path: string, summary: string): Route =>
    defineRoute({
      ...admin,
      method: 'GET',
      path,
      summary,
      quiet: true,
      responses: { 200: { description: 'As the worker answers.', contentType: 'application/json' } },
      handler: (call) => proxyLogs(call, parts),
    })
  return [
    readLogs(LOGS, 'Models of a worker whose backends have written something'),
    readLogs(`${LOGS}/:modelId{.+}`, 'The newest output of the backends of a model on a worker'),
  ]
}

async function proxyLogs(call: Call, { nodes, outbound, registrationToken }: NodeRouteParts): Promise<HttpReply> {
  const { httpAddress } = await nodes.directory.need(call.param('id'))
  const model = call.param('modelId')
  const origin = `http://${httpAddress}`
  const url = `${origin}/v1/backend-logs${model === '' ? '' : `/${encodeURIComponent(model)}`}`
  if (httpAddress === '') throw unreachable('the worker has no file server')
  try {
    await using reply = await outbound.fetch(url, {
      signal: call.signal,
      trust: 'operator',
      maxBytes: MAX_LOG_BYTES,
      timeoutMs: LOG_MS,
      credentials: { origin, authorization: `Bearer ${registrationToken}` },
    })
    if (reply.status !== 200) throw unreachable(`the worker answers with status ${reply.status}`)
    return json(await reply.json())
  } catch (error) {
    call.signal.throwIfAborted()
    throw SvcError.is(error) && error.code === 'node_logs' ? error : unreachable('the worker cannot be reached')
  }
}

function unreachable(message: string): SvcError {
  return new SvcError('upstream_failed', message, { code: 'node_logs' })
}
