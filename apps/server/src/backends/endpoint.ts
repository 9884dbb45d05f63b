import { randomBytes } from 'node:crypto'
import { mkdtemp, rm, rmdir } from 'node:fs/promises'
import { createServer } from 'node:net'
import { basename, join } from 'node:path'
import { SvcError } from '@svc/errors'

/** Socket names are limited to about 104 bytes by the systems; ours stay below this. */
const MAX_SOCKET_PATH_BYTES = 100
const SOCKET_NAME = 'grpc.sock'
const FOLDER_PREFIX = 'svc-backend-'
const TOKEN_BYTES = 32

/** Where one backend process is told to listen. */
export interface BackendEndpoint {
  /** What follows `--addr`, and what the client connects to: `127.0.0.1:<port>` or `unix:<path>`. */
  readonly address: string
  /** The port, for those on TCP. */
  readonly port?: number
  /** Bearer token of this one process, for those on TCP: any local process can connect there. */
  readonly token?: string
  /** The folder of the socket file, for those on one. */
  readonly folder?: string
  /** Removes what was made for it. */
  release(): Promise<void>
}

/** A free port on 127.0.0.1 with a fresh token. The port may be taken by another before the backend listens. */
export async function createTcpEndpoint(): Promise<BackendEndpoint> {
  const port = await findFreePort()
  const token = randomBytes(TOKEN_BYTES).toString('hex')
  return { address: `127.0.0.1:${port}`, port, token, release: async () => undefined }
}

/**
 * A socket file in a fresh folder that only this user can enter.
 *
 * @param parent where the folder is made; `/tmp` when the path would get too long for a socket
 */
export async function createSocketEndpoint(parent: string): Promise<BackendEndpoint> {
  const longest = join(parent, `${FOLDER_PREFIX}xxxxxx`, SOCKET_NAME)
  const isShort = Buffer.byteLength(longest) < MAX_SOCKET_PATH_BYTES
  const folder = await mkdtemp(join(isShort ? parent : '/tmp', FOLDER_PREFIX))
  return {
    address: `unix:${join(folder, SOCKET_NAME)}`,
    folder,
    release: () => removeSocketFolder(folder),
  }
}

/** Removes a folder made by {@link createSocketEndpoint}; anything else is left alone. */
export async function removeSocketFolder(folder: string): Promise<void> {
  if (!basename(folder).startsWith(FOLDER_PREFIX)) return
  await rm(join(folder, SOCKET_NAME), { force: true }).catch(() => undefined)
  await rmdir(folder).catch(() => undefined)
}

function findFreePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer()
    server.once('error', reject)
    server.listen(0, '127.0.0.1', () => {
      const bound = server.address()
      server.close(() => {
        if (typeof bound === 'object' && bound !== null) resolve(bound.port)
        else reject(new SvcError('internal', 'no free port'))
      })
    })
  })
}
