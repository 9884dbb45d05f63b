import { randomBytes } from 'node:crypto'
import { mkdtemp, rmdir, unlink } from 'node:fs/promises'
import { createServer } from 'node:net'
import { basename, join } from 'node:path'
import { SvcError } from '@svc/errors'

/** Systems limit socket names to about 104 bytes. */
const MAX_SOCKET_PATH_BYTES = 100
const SOCKET_NAME = 'grpc.sock'
const FOLDER_PREFIX = 'svc-backend-'
const TOKEN_BYTES = 32

/** Address on which one backend process listens. */
export interface BackendEndpoint {
  /** The argument of `--addr` and the address for the client: `127.0.0.1:<port>` or `unix:<path>`. */
  readonly address: string
  /** Where this process reaches it, when it listens on every address. @default the address */
  readonly clientAddress?: string | undefined
  /** The port, for TCP. */
  readonly port?: number
  /** Bearer token of this process, for TCP: any local process can connect there. */
  readonly token?: string
  /** The folder of the socket file, for a socket. */
  readonly folder?: string
  /** Removes the files of the endpoint. */
  release(): Promise<void>
}

/**
 * Creates an endpoint on a free port of 127.0.0.1 with a fresh token. Another process may take the port before the
 * backend listens.
 */
export async function createTcpEndpoint(): Promise<BackendEndpoint> {
  const port = await findFreePort()
  const token = randomBytes(TOKEN_BYTES).toString('hex')
  return { address: `127.0.0.1:${port}`, port, token, release: async () => undefined }
}

/**
 * Creates a socket file's path in a fresh folder that only this user can enter.
 *
 * @param parent folder of the new folder; `/tmp` replaces it when the path would be too long for a socket
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

/**
 * Removes a folder of {@link createSocketEndpoint}; any other folder stays.
 *
 * The socket file goes by `unlink`. `rm` asks for its type first, and after that Node loads modules by the path of a
 * link instead of the file behind it (nodejs/node issue 51142).
 */
export async function removeSocketFolder(folder: string): Promise<void> {
  if (!basename(folder).startsWith(FOLDER_PREFIX)) return
  await unlink(join(folder, SOCKET_NAME)).catch(() => undefined)
  await rmdir(folder).catch(() => undefined)
}

/** Finds a port of 127.0.0.1 that is free at this moment. */
export function findFreePort(): Promise<number> {
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
