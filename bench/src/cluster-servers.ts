import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { mockOptions, writeMockLauncher } from '@svc/backend-mock/script'
import { type RunningNats, type RunningPostgres, startNats, startPostgres } from '@svc/test-kit'
import { freePort, type Measured, startMeasured } from './processes.ts'
import { BUILT_SERVER, CHAT_PATH, startServer } from './server.ts'

const KEY = 'key-of-an-admin'
/** The token of the workers, which their backends ask for as well. */
export const TOKEN = 'token-of-workers'
/** Front ends that are started. */
export const FRONT_ENDS = 4
/** Headers of a caller with a shared key. */
export const headers = { authorization: `Bearer ${KEY}` }
/** The prompt of each request. */
export const PROMPT = 'The quick brown fox. '.repeat(50)
/** The body of each request. */
export const BODY = JSON.stringify({ model: 'm', messages: [{ role: 'user', content: PROMPT }] })

const MODEL = {
  name: 'm',
  backend: 'mock',
  known_usecases: ['chat'],
  template: { use_tokenizer_template: true },
  options: mockOptions({ rules: [{ rpc: 'Predict*', do: { text: 'Yes' } }] }),
}
const SERVED_MS = 90_000

/** One server, and a cluster of front ends with one worker, all with one model that is loaded. */
export interface ClusterWorld {
  readonly one: Measured
  readonly frontEnds: readonly Measured[]
  /** Port of the backend at the worker, on the loopback interface. */
  readonly backendPort: number
  /** Address of a front end's profiles, which `--pprof` opens. */
  readonly pprof: string
  /** Transactions of the database of the cluster so far. */
  countTransactions(): Promise<number>
  /** Ends all processes and removes their files. */
  close(): Promise<void>
}

interface Engines {
  readonly postgres: RunningPostgres
  readonly nats: RunningNats
}

async function startEngines(closers: (() => Promise<void>)[]): Promise<Engines> {
  const [postgres, nats] = await Promise.all([startPostgres(), startNats()])
  closers.push(
    async () => postgres[Symbol.asyncDispose](),
    async () => nats[Symbol.asyncDispose](),
  )
  if (!postgres.available) throw new Error(`PostgreSQL is missing: ${postgres.reason}`)
  if (!nats.available) throw new Error(`nats-server is missing: ${nats.reason}`)
  return { postgres, nats }
}

/**
 * Starts everything; it takes about half a minute.
 *
 * @param log says what is started
 * @throws {Error} where an engine is missing or a program does not become ready; what has begun is ended then
 */
export async function startWorld(log: (text: string) => void, signal: AbortSignal): Promise<ClusterWorld> {
  const folder = mkdtempSync(join(tmpdir(), 'svc-bench-'))
  const removeFolder = (): void => rmSync(folder, { recursive: true, force: true, maxRetries: 3 })
  process.once('exit', removeFolder)
  const closers: (() => Promise<void>)[] = []
  const close = async (): Promise<void> => {
    for (const end of closers.splice(0).toReversed()) {
      await end().catch((error: unknown) => log(`it did not end: ${String(error)}`))
    }
    process.off('exit', removeFolder)
    removeFolder()
  }
  try {
    return { ...(await startAll({ folder, log, signal, closers })), close }
  } catch (error) {
    await close()
    throw error
  }
}

interface Start {
  readonly folder: string
  readonly log: (text: string) => void
  readonly signal: AbortSignal
  readonly closers: (() => Promise<void>)[]
}

async function startAll(start: Start): Promise<Omit<ClusterWorld, 'close'>> {
  const { folder, log, signal, closers } = start
  log('PostgreSQL and nats-server')
  const { postgres, nats } = await startEngines(closers)
  const keep = (program: Measured): Measured => {
    closers.push(() => program.stop())
    return program
  }
  const mock = writeMockLauncher({ folder, name: 'mock.sh' })
  const backends = `mock:${mock.path}`
  const auth = ['--auth-enabled', '--auth-registration-mode=open', `--api-keys=${KEY}`, '--auth-rate-limit=0']
  const env = {
    SVC_NATS_URL: nats.url,
    SVC_NATS_SERVICE_JWT: nats.service.jwt,
    SVC_NATS_SERVICE_SEED: nats.service.seed,
    SVC_NATS_ACCOUNT_SEED: nats.accountSeed,
    SVC_REGISTRATION_TOKEN: TOKEN,
    SVC_AUTO_APPROVE_NODES: 'true',
    SVC_AUTH_HMAC_SECRET: 'one secret of all servers of this cluster',
  }
  log('one server')
  const alone = await postgres.createDatabase()
  const oneFlags = [...auth, `--auth-database-url=${alone}`, `--external-grpc-backends=${backends}`]
  const one = keep(await startServer({ folder: join(folder, 'one'), models: [MODEL], flags: oneFlags, signal }))
  const database = await postgres.createDatabase()
  const pprofPort = await freePort()
  const frontEnds: Measured[] = []
  for (let index = 0; index < FRONT_ENDS; index += 1) {
    log(`front end ${index + 1}`)
    const pprof = index === 0 ? ['--pprof', `--pprof-address=127.0.0.1:${pprofPort}`] : []
    const flags = ['--distributed', ...auth, `--auth-database-url=${database}`, ...pprof]
    const options = { folder: join(folder, `front-${index}`), models: [MODEL], flags, env, signal }
    frontEnds.push(keep(await startServer(options)))
  }
  log('a worker')
  const backendPort = await freePort()
  const places = ['models', 'data', 'backends'].map((name) => `--${name}-path=${join(folder, 'worker', name)}`)
  const filesAddress = `127.0.0.1:${await freePort()}`
  const register = [`--register-to=${frontEnds[0]?.url}`, '--node-name=w1', `--addr=127.0.0.1:${backendPort}`]
  keep(
    await startMeasured({
      args: [BUILT_SERVER, 'worker', ...register, `--http-addr=${filesAddress}`, ...places],
      url: `http://${filesAddress}`,
      ready: '/readyz',
      env: { ...env, SVC_EXTERNAL_GRPC_BACKENDS: backends },
      signal,
    }),
  )
  log('the first request to each')
  for (const server of [one, ...frontEnds]) await waitUntilServed(server, signal)
  return {
    one,
    frontEnds,
    backendPort,
    pprof: `http://127.0.0.1:${pprofPort}`,
    countTransactions: () => postgres.countTransactions(database),
  }
}

async function waitUntilServed({ url }: Measured, signal: AbortSignal): Promise<void> {
  const until = performance.now() + SERVED_MS
  for (;;) {
    const reply = await fetch(`${url}${CHAT_PATH}`, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body: BODY,
      signal: AbortSignal.any([signal, AbortSignal.timeout(SERVED_MS)]),
    })
    const text = await reply.text()
    if (reply.status === 200) return
    if (performance.now() > until) throw new Error(`${url} answers ${reply.status} ${text.slice(0, 300)}`)
    await sleep(200, undefined, { signal })
  }
}
