import { createHash, timingSafeEqual } from 'node:crypto'
import { realpath } from 'node:fs/promises'
import type { IncomingMessage } from 'node:http'
import { SvcError } from '@svc/errors'
import { StartRefused } from '../../config/start-refused.ts'
import { toReason } from '../../files/file-error.ts'
import { makeFolder } from '../../files/make-folder.ts'
import { relativeInside } from '../../files/relative-inside.ts'
import { DEFAULT_LIMITS } from '../../http/connection-limits.ts'
import { listenWithNode } from '../../http/listen.ts'
import type { ServerReply } from '../../http/messages.ts'
import { stayInHttp, type Upgrade } from '../../http/upgrade.ts'
import { answerError, discardBody, writeReply } from './answer-error.ts'
import type { WorkerFolders } from './file-keys.ts'
import { createRoutes } from './routes.ts'
import type { FileServerOptions } from './server-options.ts'
import type { StorageFiles } from './storage-files.ts'

/** The HTTP server of a worker. */
export interface WorkerFileServer {
  readonly port: number
  /** Files between this worker and the object storage; undefined without one. */
  readonly storageFiles: StorageFiles | undefined
  /** Cuts every connection, and ends when no file is being written. */
  close(): Promise<void>
}

export type { FileServerOptions } from './server-options.ts'
export type { WorkerLogs } from './worker-logs.ts'

const MAX_CONNECTIONS = 512
/** A whole file may be one request: its pieces have a time limit of their own. */
const LIMITS = { ...DEFAULT_LIMITS, requestMs: 24 * 3_600_000 }

/**
 * Opens the HTTP server of a worker: `/healthz`, `/readyz`, `/v1/files/…`, `/v1/files-list/…`, `/v1/backend-logs…`.
 *
 * @throws {StartRefused} when it cannot listen, or a folder cannot be made
 */
export async function openFileServer(options: FileServerOptions): Promise<WorkerFileServer> {
  const { host, port, folders, logger } = options
  for (const [name, folder] of Object.entries(folders))
    await makeFolder(folder, { what: `${name} folder`, mode: 0o750 })
  await checkApart(folders)
  await checkOutside(options.kept ?? [], folders)
  const routes = createRoutes(options)
  const isAllowed = createGate(options.token)
  const answer = async (incoming: IncomingMessage, outgoing: ServerReply, upgrade?: Upgrade): Promise<void> => {
    if (incoming.method !== 'PUT' && upgrade === undefined) discardBody(incoming)
    try {
      const path = (incoming.url ?? '').split('?', 1)[0] ?? ''
      const probe = routes.findProbe(path)
      if (probe !== undefined) {
        discardBody(incoming)
        writeReply(outgoing, probe(incoming.method ?? ''))
        return
      }
      if (!isAllowed(incoming.headers.authorization)) throw unauthorized()
      await routes.serve({ path, incoming, outgoing, upgrade })
    } catch (error) {
      answerError(error, { incoming, outgoing, logger })
    }
  }
  try {
    const listener = await listenWithNode(
      (incoming, outgoing, upgrade) => {
        if (upgrade !== undefined && !routes.takesSocket(upgrade)) stayInHttp(upgrade)
        void answer(incoming, outgoing, upgrade)
      },
      { host, port },
      { limits: LIMITS, maxConnections: MAX_CONNECTIONS },
    )
    return {
      port: listener.port,
      storageFiles: routes.storageFiles,
      async close() {
        const drained = listener.drain()
        listener.destroy()
        await Promise.all([drained, routes.close()])
      },
    }
  } catch (error) {
    await routes.close()
    const reason = error instanceof Error && 'code' in error ? String(error.code) : toReason(error)
    throw new StartRefused(`the file server cannot listen at ${host}:${port}: ${reason}`, {
      exitCode: 75,
      cause: error,
    })
  }
}

/** Old files of the staging folder are removed: no other folder may be in it. */
async function checkApart({ staging, models, data }: WorkerFolders): Promise<void> {
  for (const folder of [models, data]) {
    if (!(await isInside(folder, staging))) continue
    throw new StartRefused(`the folder ${folder} may not be in the staging folder ${staging}`, { exitCode: 78 })
  }
}

/** Whoever has the token writes any file of the folders: programs and the worker's own files may not be there. */
async function checkOutside(kept: readonly string[], { models, data, staging }: WorkerFolders): Promise<void> {
  for (const folder of [models, data, staging]) {
    for (const each of kept) {
      if (!(await isInside(each, folder))) continue
      throw new StartRefused(`the folder ${each} may not be in the folder ${folder}, which front ends write`, {
        exitCode: 78,
      })
    }
  }
}

async function isInside(folder: string, outer: string): Promise<boolean> {
  const [place, realOuter] = [await realpath(folder), await realpath(outer)]
  return place === realOuter || relativeInside(realOuter, place) !== undefined
}

/** Compares in constant time. */
function createGate(token: string): (authorization: string | undefined) => boolean {
  const digest = (text: string): Buffer => createHash('sha256').update(text).digest()
  const wanted = digest(token)
  return (authorization = '') => {
    if (token === '') return true
    const [, given] = /^Bearer +(\S+)$/i.exec(authorization.trim()) ?? []
    return given !== undefined && timingSafeEqual(digest(given), wanted)
  }
}

const unauthorized = (): SvcError => new SvcError('unauthenticated', 'unauthorized', { code: 'bad_registration_token' })
