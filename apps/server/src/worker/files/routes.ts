import type { Upgrade } from '../../http/upgrade.ts'
import { createFileRoutes } from './file-routes.ts'
import { createLogRoutes, SOCKET } from './log-routes.ts'
import { notFound } from './refusals.ts'
import type { FileReply } from './reply.ts'
import type { FileRequest } from './request.ts'
import type { FileServerOptions } from './server-options.ts'

const FILES = '/v1/files/'
const LIST = '/v1/files-list/'
const LOGS = '/v1/backend-logs'

/** The routes of a worker. */
export function createRoutes(options: FileServerOptions) {
  const files = createFileRoutes(options)
  const logs = createLogRoutes(options)
  return {
    storageFiles: files.storageFiles,
    /** Probes need no bearer. */
    findProbe(path: string): ((method: string) => FileReply) | undefined {
      if (path !== '/healthz' && path !== '/readyz') return undefined
      return (method) => {
        if (method !== 'GET' && method !== 'HEAD') return { status: 405, headers: { Allow: 'GET, HEAD' } }
        const isGood = path === '/healthz' || options.isReady()
        return isGood ? { status: 200, text: 'ok' } : { status: 503, text: 'not ready' }
      }
    },
    /** Whether a request for a WebSocket may become one. */
    takesSocket: ({ request: { url = '' } }: Upgrade) =>
      url.startsWith(`${LOGS}/`) && (url.split('?', 1)[0] ?? '').endsWith(SOCKET),
    async serve(request: FileRequest): Promise<void> {
      const { path } = request
      if (path.startsWith(FILES)) return files.serve(path.slice(FILES.length), request)
      if (path.startsWith(LIST)) return files.list(path.slice(LIST.length).replace(/\/$/, ''), request)
      if (path === LOGS || path.startsWith(`${LOGS}/`)) return logs.serve(path.slice(LOGS.length + 1), request)
      throw notFound()
    },
    async close(): Promise<void> {
      await Promise.all([files.close(), logs.close()])
    },
  }
}
