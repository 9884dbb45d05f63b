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
import { type SwitchableProxy, startSwitchableProxy } from '../support/switchable-proxy.ts'
import { LONG, SHORT } from './requests.ts'

const WEIGHTS_BYTES = 48 * 2 ** 20
const LOAD_MS = 1500
const PIECE_MS = 25

/** Two front ends and two workers, which can be started again where they were. */
export interface World extends AsyncDisposable {
  readonly cluster: BuiltCluster
  readonly sql: postgres.Sql
  /** The ways of the front ends to the database, and of the front ends and workers to the bus. */
  readonly links: { readonly database: readonly SwitchableProxy[]; readonly bus: readonly SwitchableProxy[] }
  frontEnd(index: number): BuiltServer
  worker(index: number): BuiltWorker
  /** Everything that has been started, ended or not: its name and its output. */
  outputs(): readonly { readonly name: string; readonly text: string }[]
  restartFrontEnd(index: number): Promise<void>
  restartWorker(index: number, options: { readonly samePort: boolean }): Promise<void>
}

/** Starts a world that has these models. @throws Error where an engine is missing */
export async function startWorld(models: readonly string[]): Promise<World> {
  const cluster = await startBuiltCluster()
  if (cluster === undefined) throw new Error('these runs need PostgreSQL and nats-server')
  const folders = await Promise.all(['f0', 'f1', 'w0', 'w1'].map((name) => tempDir(`svc-kill-${name}-`)))
  const folderOf = (index: number): string => folders[index]?.path ?? ''
  const ports = await Promise.all([0, 1, 2, 3].map(() => findFreePort()))
  const links = {
    database: await openLinks(2, cluster.databaseUrl),
    bus: await openLinks(4, cluster.nats.url),
  }
  const outputs: { name: string; text: () => string }[] = []
  const startFrontEnd = async (index: number): Promise<BuiltServer> => {
    const url = throughLink(cluster.databaseUrl, get(links.database, index))
    const flags = ['--address', `127.0.0.1:${ports[index]}`, `--auth-database-url=${url}`]
    const env = { SVC_NATS_URL: throughLink(cluster.nats.url, get(links.bus, index)) }
    const server = await cluster.startFrontEnd({ folder: folderOf(index), flags, env })
    outputs.push({ name: `front-end-${index}`, text: server.output })
    return server
  }
  const startWorker = async (index: number, port?: number): Promise<BuiltWorker> => {
    const env = { SVC_NATS_URL: throughLink(cluster.nats.url, get(links.bus, 2 + index)) }
    const worker = await cluster.startWorker(`w${index}`, { folder: folderOf(2 + index), port, env })
    outputs.push({ name: `worker-${index}`, text: worker.output })
    return worker
  }
  for (const index of [0, 1]) await writeModels(join(folderOf(index), 'models'), models)
  const frontEnds = await Promise.all([0, 1].map(startFrontEnd))
  const workers = [await startWorker(0, ports[2]), await startWorker(1, ports[3])]
  const sql = postgres(cluster.databaseUrl, { max: 1, idle_timeout: 1, onnotice: () => undefined })
  return {
    cluster,
    sql,
    links,
    frontEnd: (index) => get(frontEnds, index),
    worker: (index) => get(workers, index),
    outputs: () => outputs.map(({ name, text }) => ({ name, text: text() })),
    async restartFrontEnd(index) {
      frontEnds[index] = await startFrontEnd(index)
    },
    async restartWorker(index, { samePort }) {
      workers[index] = await startWorker(index, samePort ? ports[2 + index] : undefined)
    },
    async [Symbol.asyncDispose]() {
      await sql.end({ timeout: 1 })
      await Promise.all(workers.map((worker) => worker.end('SIGKILL')))
      for (const worker of workers) for (const pid of worker.backends()) process.kill(pid, 'SIGKILL')
      await Promise.all(frontEnds.map((server) => server[Symbol.asyncDispose]()))
      for (const link of [...links.database, ...links.bus]) await link[Symbol.asyncDispose]()
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

const openLinks = (count: number, url: string): Promise<readonly SwitchableProxy[]> =>
  Promise.all(Array.from({ length: count }, () => startSwitchableProxy(Number(new URL(url).port))))

function throughLink(url: string, { port }: SwitchableProxy): string {
  const changed = new URL(url)
  changed.port = String(port)
  return changed.href
}
