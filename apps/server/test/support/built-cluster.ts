import { writeMockLauncher } from '@svc/backend-mock/script'
import { startNats, startPostgres, tempDir } from '@svc/test-kit'
import { findFreePort } from '../../src/backends/endpoint.ts'
import { type BuiltServer, startBuiltServer } from './built-server.ts'
import { type BuiltWorker, startBuiltWorker } from './built-worker.ts'

const TOKEN = 'token-of-workers'
const KEY = 'key-of-an-admin'

/** How a worker is started. */
export interface WorkerStart {
  readonly folder?: string
  /** Of its first backend. @default a free one */
  readonly port?: number | undefined
  readonly env?: Readonly<Record<string, string>>
  /** They count more than those that every worker gets. */
  readonly flags?: readonly string[]
  /** Another path to the entry. @default the build */
  readonly entry?: string | undefined
}

/** A cluster of built programs on one PostgreSQL and one NATS. */
export interface BuiltCluster extends AsyncDisposable {
  /** Headers of an admin. */
  readonly admin: Readonly<Record<string, string>>
  startFrontEnd(options?: {
    readonly env?: Readonly<Record<string, string>>
    readonly folder?: string
    readonly flags?: readonly string[]
    readonly entry?: string | undefined
  }): Promise<BuiltServer>
  startWorker(name: string, options?: WorkerStart): Promise<BuiltWorker>
  /** Address of the database. */
  readonly databaseUrl: string
  readonly nats: Extract<Awaited<ReturnType<typeof startNats>>, { available: true }>
  readonly postgres: Extract<Awaited<ReturnType<typeof startPostgres>>, { available: true }>
}

/** Starts the engines. @returns undefined, with a warning, where one is missing */
export async function startBuiltCluster(): Promise<BuiltCluster | undefined> {
  const [postgres, nats] = await Promise.all([startPostgres({ isDurable: true }), startNats()])
  const shared = await tempDir('svc-cluster-')
  async function close(): Promise<void> {
    await nats[Symbol.asyncDispose]()
    await postgres[Symbol.asyncDispose]()
    await shared.close()
  }
  if (!postgres.available || !nats.available) {
    console.warn('clusters of built programs are not tried: PostgreSQL or NATS is missing')
    await close()
    return undefined
  }
  const databaseUrl = await postgres.createDatabase()
  const mock = writeMockLauncher({ folder: shared.path, name: 'mock.sh' })
  const frontEnds: string[] = []
  return {
    admin: { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' },
    databaseUrl,
    nats,
    postgres,
    async startFrontEnd({ env, folder, flags = [], entry } = {}) {
      const server = await startBuiltServer({
        folder,
        entry,
        flags: [
          '--distributed',
          '--auth-enabled',
          `--api-keys=${KEY}`,
          '--auth-rate-limit=0',
          `--auth-database-url=${databaseUrl}`,
          ...flags,
        ],
        env: {
          SVC_NATS_URL: nats.url,
          SVC_NATS_SERVICE_JWT: nats.service.jwt,
          SVC_NATS_SERVICE_SEED: nats.service.seed,
          SVC_NATS_ACCOUNT_SEED: nats.accountSeed,
          SVC_REGISTRATION_TOKEN: TOKEN,
          SVC_AUTO_APPROVE_NODES: 'true',
          SVC_EXPOSE_NODE_HEADER: 'true',
          SVC_AUTH_HMAC_SECRET: 'one secret of all servers of this test',
          ...env,
        },
      })
      frontEnds.push(server.url)
      return server
    },
    async startWorker(name, { folder, port: given, env, flags = [], entry } = {}) {
      const port = given ?? (await findFreePort())
      const worker = await startBuiltWorker(
        [
          `--register-to=${frontEnds.at(-1)}`,
          `--node-name=${name}`,
          `--addr=127.0.0.1:${port}`,
          '--http-addr=127.0.0.1:0',
          '--heartbeat-interval=1s',
          ...flags,
        ],
        {
          SVC_NATS_URL: nats.url,
          SVC_REGISTRATION_TOKEN: TOKEN,
          SVC_EXTERNAL_GRPC_BACKENDS: `mock:${mock.path}`,
          ...env,
        },
        { folder, entry },
      )
      await worker.logged('the worker has joined')
      return worker
    },
    [Symbol.asyncDispose]: close,
  }
}
