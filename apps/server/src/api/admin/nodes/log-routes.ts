import { SvcError } from '@svc/errors'
import type { Call } from '../../../http/call.ts'
import type { HttpReply } from '../../../http/http-reply.ts'
import { json } from '../../../http/json.ts'
import { defineRoute, type Route } from '../../../http/route.ts'
import { upgradeRequired } from '../../../http/websocket.ts'
import { admin } from './admin-routes.ts'
import type { NodeRouteParts } from './parts.ts'
import type { WorkerSocket } from './worker-socket.ts'

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
    defineRoute({
      ...admin,
      method: 'GET',
      path: `/ws${LOGS.slice('/api'.length)}/:modelId{.+}`,
      summary: 'The output of the backends of a model on a worker as it comes, over a WebSocket',
      socket: { protocols: [] },
      handler(call) {
        throw upgradeRequired(call)
      },
      async serveSocket(socket) {
        const { serveWorkerLogs } = await import('./log-socket.ts')
        await serveWorkerLogs(socket, () => findSocket(socket.call, parts), parts.clock)
      },
    }),
  ]
}

/** Where a worker tells the output of a model, or the models that have some. */
async function findLogs(
  call: Call,
  { nodes }: NodeRouteParts,
): Promise<{ readonly host: string; readonly path: string }> {
  const { httpAddress: host } = await nodes.directory.need(call.param('id'))
  if (host === '') throw unreachable('the worker has no file server')
  const model = call.param('modelId')
  return { host, path: `/v1/backend-logs${model === '' ? '' : `/${encodeURIComponent(model)}`}` }
}

async function findSocket(call: Call, parts: NodeRouteParts): Promise<WorkerSocket> {
  const { host, path } = await findLogs(call, parts)
  return { url: `ws://${host}${path}/ws`, authorization: `Bearer ${parts.registrationToken}` }
}

async function proxyLogs(call: Call, parts: NodeRouteParts): Promise<HttpReply> {
  const { host, path } = await findLogs(call, parts)
  const origin = `http://${host}`
  try {
    await using reply = await parts.outbound.fetch(`${origin}${path}`, {
      signal: call.signal,
      trust: 'operator',
      maxBytes: MAX_LOG_BYTES,
      timeoutMs: LOG_MS,
      credentials: { origin, authorization: `Bearer ${parts.registrationToken}` },
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
