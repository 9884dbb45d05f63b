import { SvcError } from '@svc/errors'
import type { Call } from '../../../http/call.ts'
import { HttpReply } from '../../../http/http-reply.ts'
import { json } from '../../../http/json.ts'
import { defineRoute, type Route } from '../../../http/route.ts'
import { upgradeRequired } from '../../../http/websocket.ts'
import { type BackendLogParts, toWireLine } from './wire-line.ts'

const wire = () => import('@svc/wire/native')

const LOGS = '/api/backend-logs/'
const SOCKET = '/ws/backend-logs/'
const CLEAR = '/clear'

const admin = { access: 'admin', family: 'compatible', tag: 'backend-logs' } as const

/** `/api/backend-logs` and its socket (§4.7). Names of models may hold slashes, so paths end in a wildcard. */
export function backendLogRoutes(parts: BackendLogParts): Route[] {
  const { logs } = parts
  return [
    defineRoute({
      ...admin,
      method: 'GET',
      path: '/api/backend-logs',
      summary: 'Models whose backends have written something',
      quiet: true,
      responses: { 200: { description: 'Names of models.', schema: async () => (await wire()).backendLogNames } },
      handler: () => json(logs.names()),
    }),
    defineRoute({
      ...admin,
      method: 'GET',
      path: `${LOGS}*`,
      summary: "The newest output of a model's backends",
      quiet: true,
      responses: {
        200: { description: 'Lines, the oldest first.', schema: async () => (await wire()).backendLogLines },
      },
      handler: (call) => json(logs.lines(readName(call, LOGS)).map(toWireLine)),
    }),
    defineRoute({
      ...admin,
      method: 'POST',
      path: `${LOGS}*`,
      summary: "Forget the output of a model's backends: `/api/backend-logs/{model}/clear`",
      audit: { change: 'log.clear' },
      responses: { 204: { description: 'Cleared.' } },
      handler(call) {
        if (!call.path.endsWith(CLEAR) || call.path.length <= LOGS.length + CLEAR.length)
          throw new SvcError('not_found', 'Resource not found', { details: { type: '' } })
        const name = readName(call, LOGS, CLEAR)
        logs.clear(name)
        call.noteChange({ target: name })
        return new HttpReply(null, { status: 204 })
      },
    }),
    defineRoute({
      ...admin,
      method: 'GET',
      path: `${SOCKET}*`,
      summary: "The output of a model's backends as it comes, over a WebSocket",
      socket: { protocols: [] },
      handler(call) {
        throw upgradeRequired(call)
      },
      serveSocket: async (socket) =>
        (await import('./socket.ts')).serveLogs(socket, readName(socket.call, SOCKET), parts),
    }),
  ]
}

/** Reads the name of a model at the end of a path. @throws {SvcError} `invalid_request` for one that is badly encoded */
function readName({ path }: Pick<Call, 'path'>, before: string, after = ''): string {
  try {
    return decodeURIComponent(path.slice(before.length, path.length - after.length))
  } catch {
    throw new SvcError('invalid_request', 'the name of the model is not percent-encoded', { code: 'bad_path' })
  }
}
