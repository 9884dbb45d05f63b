import { SvcError } from '@svc/errors'
import type { Upgrade } from '../../http/upgrade.ts'
import type { Clock } from '../../ports.ts'
import { serveLogSocket, toWireLine } from './log-socket.ts'
import { badRequest } from './refusals.ts'
import { type FileRequest, reply, wrongMethod } from './request.ts'
import type { WorkerLogs } from './worker-logs.ts'

/** The end of the path of a socket. */
export const SOCKET = '/ws'
const MAX_SOCKETS = 64

/** The output of a worker's backends. */
export function createLogRoutes({ logs, clock }: { readonly logs: WorkerLogs; readonly clock: Clock }) {
  const ended = new AbortController()
  const sockets = new Set<Promise<void>>()

  async function serveSocket(upgrade: Upgrade, model: string): Promise<void> {
    if (sockets.size >= MAX_SOCKETS) {
      throw new SvcError('unavailable', 'too many sockets are open; retry shortly', { code: 'too_many_sockets' })
    }
    const socket = serveLogSocket(upgrade, model, { logs, clock, signal: ended.signal })
    const tracked = socket.catch(() => undefined).finally(() => sockets.delete(tracked))
    sockets.add(tracked)
    await socket
  }

  return {
    /** @param rest the name of a model, percent-encoded; empty for all */
    async serve(rest: string, request: FileRequest): Promise<void> {
      if (request.incoming.method !== 'GET') throw wrongMethod(request, 'GET')
      if (request.upgrade !== undefined && rest.endsWith(SOCKET)) {
        return serveSocket(request.upgrade, readModel(rest.slice(0, -SOCKET.length)))
      }
      const json = rest === '' ? logs.models() : (logs.read(readModel(rest)) ?? []).map(toWireLine)
      reply(request, { status: 200, json })
    },
    async close(): Promise<void> {
      ended.abort()
      await Promise.all(sockets)
    },
  }
}

function readModel(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    throw badRequest('the name of the model is not percent-encoded')
  }
}
