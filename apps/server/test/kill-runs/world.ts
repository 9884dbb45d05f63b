import { mkdir, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { mockOptions } from '@svc/backend-mock/script'
import { tempDir } from '@svc/test-kit'
import postgres from 'postgres'
import { stringify } from 'yaml'
import { findFreePort } from '../../src/backends/endpoint.ts'
import { type BuiltCluster, startBuiltCluster } from '../support/built-cluster.ts'
import type { BuiltServer } from '../support/built-server.ts'
import type { BuiltWorker } from '../support/built-worker.ts'
import { type Links, openLinks, RELAY_DISTANCE, throughLink, WORKER_PORTS } from './links.ts'
import { LONG, SHORT } from './requests.ts'

const WEIGHTS_BYTES = 48 * 2 ** 20
const LOAD_MS = 1500
const PIECE_MS = 25
const CLOCK_OFFSET = new URL('clock-offset.mjs', import.meta.url).href

/** Below the ports that the system gives to others. */
const toBasePort = (index: number): number => 12_000 + (process.pid % 150) * 128 + index * WORKER_PORTS

function toClock(offsetMs: number): Readonly<Record<string, string>> {
  if (offsetMs === 0) return {}
  return { NODE_OPTIONS: `--import=${CLOCK_OFFSET}`, SVC_TEST_CLOCK_OFFSET_MS: String(offsetMs) }
}

/** A build of the server: the path to its entry. */
export interface Build {
  /** @default this build */
  readonly entry?: string | undefined
}

/** Two front ends and two workers, which can be started again where they were. */
export interface World extends AsyncDisposable {
  readonly cluster: BuiltCluster
  readonly sql: postgres.Sql
  readonly links: Links
  frontEnd(index: number): BuiltServer
  worker(index: number): BuiltWorker
  /** Everything that has been started, ended or not: its name and its output. */
  outputs(): readonly { readonly name: string; readonly text: string }[]
  /** Starts a front end again where it was. @param options another build of it */
  restartFrontEnd(index: number, options?: Build): Promise<void>
  restartWorker(index: number, options: Build & { readonly samePort: boolean }): Promise<void>
}

/** How a world differs from the usual one. The lists are of both front ends and both workers. */
export interface WorldOptions {
  /** How far the clocks are from those of the engines, milliseconds. */
  readonly clocks?: readonly number[]
  readonly builds?: readonly Build[]
}

/** Starts a world that has these models. @throws Error where an engine is missing */
export async function startWorld(
  models: readonly string[],
  { clocks = [0, 0, 0, 0], builds = [] }: WorldOptions = {},
): Promise<World> {
  const cluster = await startBuiltCluster()
  if (cluster === undefined) throw new Error('these runs need PostgreSQL and nats-server')
  const folders = await Promise.all(['f0', 'f1', 'w0', 'w1'].map((name) => tempDir(`svc-kill-${name}-`)))
  const folderOf = (index: number): string => folders[index]?.path ?? ''
  const frontEndPorts = await Promise.all([0, 1].map(() => findFreePort()))
  const workerPorts = [0, 2].map((index) => [toBasePort(index), toBasePort(index + 1)])
  const { databaseUrl, nats } = cluster
  const links = await openLinks({ databaseUrl, natsUrl: nats.url, frontEndPorts, workerPorts })
  const outputs: { name: string; text: () => string }[] = []
  const startFrontEnd = async (index: number, { entry }: Build = {}): Promise<BuiltServer> => {
    const url = throughLink(databaseUrl, get(links.database, index))
    const flags = ['--address', `127.0.0.1:${frontEndPorts[index]}`, `--auth-database-url=${url}`]
    const env = { SVC_NATS_URL: throughLink(nats.url, get(links.bus, index)), ...toClock(get(clocks, index)) }
    const server = await cluster.startFrontEnd({ folder: folderOf(index), flags, env, entry })
    outputs.push({ name: `front-end-${index}`, text: server.output })
    return server
  }
  const startWorker = async (
    index: number,
    { samePort, entry }: Build & { readonly samePort: boolean },
  ): Promise<BuiltWorker> => {
    const env = { SVC_NATS_URL: throughLink(nats.url, get(links.bus, 2 + index)), ...toClock(get(clocks, 2 + index)) }
    const port = get(get(workerPorts, index), samePort ? 0 : 1)
    const files = get(links.files, index)
    const flags = [
      `--register-to=http://127.0.0.1:${get(links.register, index).port}`,
      `--grpc-max-port=${port + WORKER_PORTS - 1}`,
      `--http-addr=127.0.0.1:${files.port}`,
      `--advertise-addr=127.0.0.1:${port + RELAY_DISTANCE}`,
      `--advertise-http-addr=127.0.0.1:${files.told}`,
      `--node-labels=name=w${index}`,
    ]
    const worker = await cluster.startWorker(`w${index}`, { folder: folderOf(2 + index), port, env, flags, entry })
    outputs.push({ name: `worker-${index}`, text: worker.output })
    return worker
  }
  for (const index of [0, 1]) await writeModels(join(folderOf(index), 'models'), models)
  // One after the other: a newer build updates the schema of an older one.
  const frontEnds = [await startFrontEnd(0, builds[0]), await startFrontEnd(1, builds[1])]
  const workers = [
    await startWorker(0, { samePort: true, ...builds[2] }),
    await startWorker(1, { samePort: true, ...builds[3] }),
  ]
  const sql = postgres(cluster.databaseUrl, { max: 1, idle_timeout: 1, onnotice: () => undefined })
  return {
    cluster,
    sql,
    links,
    frontEnd: (index) => get(frontEnds, index),
    worker: (index) => get(workers, index),
    outputs: () => outputs.map(({ name, text }) => ({ name, text: text() })),
    async restartFrontEnd(index, options) {
      frontEnds[index] = await startFrontEnd(index, options)
    },
    async restartWorker(index, options) {
      workers[index] = await startWorker(index, options)
    },
    async [Symbol.asyncDispose]() {
      await sql.end({ timeout: 1 })
      await Promise.all(workers.map((worker) => worker.end('SIGKILL')))
      for (const worker of workers) for (const pid of worker.backends()) process.kill(pid, 'SIGKILL')
      await Promise.all(frontEnds.map((server) => server[Symbol.asyncDispose]()))
      await links[Symbol.asyncDispose]()
      await cluster[Symbol.asyncDispose]()
      await Promise.all(folders.map((folder) => folder.close()))
    },
  }
}

/** Models that name themselves in their answers, load slowly and stream slowly. */
async function writeModels(folder: string, names: readonly string[]): Promise<void> {
  await mkdir(folder, { recursive: true })
  await writeFile(join(folder, 'weights.bin'), '')
  await truncate(join(folder, 'weights.bin'), WEIGHTS_BYTES)
  for (const name of names) {
    const text = `I am ${name}. `
    const rules = [
      { rpc: 'LoadModel', do: { delayMs: LOAD_MS } },
      { contains: 'long answer', do: { text, repeat: LONG, pieceDelayMs: PIECE_MS } },
      { do: { text, repeat: SHORT } },
    ]
    const keys = { name, backend: 'mock', known_usecases: ['chat'], parameters: { model: 'weights.bin' } }
    await writeFile(join(folder, `${name}.yaml`), stringify({ ...keys, options: mockOptions({ rules }) }))
  }
}

function get<T>(list: readonly T[], index: number): T {
  const found = list[index]
  if (found === undefined) throw new Error(`there is no ${index}`)
  return found
}
