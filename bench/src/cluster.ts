// Compares warm requests through front ends to a worker with the same requests to one server: latency of one client, and
// processor time of the front end with many. Then sends load to one, two and four front ends at once. The backend is the
// mock. It needs PostgreSQL and nats-server.
//   pnpm --filter @svc/bench cluster [-- --rounds 5 --seconds 4]
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { mockOptions, writeMockLauncher } from '@svc/backend-mock/script'
import { startNats, startPostgres } from '@svc/test-kit'
import { type LoadFigures, median, runLoad } from './load.ts'
import { freePort, type Measured } from './processes.ts'
import { BUILT_SERVER, CHAT_PATH, startServer } from './server.ts'

const { values } = parseArgs({
  args: process.argv.slice(2).filter((argument) => argument !== '--'),
  options: { rounds: { type: 'string', default: '5' }, seconds: { type: 'string', default: '4' } },
})
const [rounds, seconds] = [Number(values.rounds), Number(values.seconds)]
const KEY = 'key-of-an-admin'
const TOKEN = 'token-of-workers'
const FRONT_ENDS = 4
const headers = { authorization: `Bearer ${KEY}` }
const MODEL = {
  name: 'm',
  backend: 'mock',
  known_usecases: ['chat'],
  template: { use_tokenizer_template: true },
  options: mockOptions({ rules: [{ rpc: 'Predict*', do: { text: 'Yes' } }] }),
}
const BODY = JSON.stringify({ model: 'm', messages: [{ role: 'user', content: 'The quick brown fox. '.repeat(50) }] })

const folder = mkdtempSync(join(tmpdir(), 'svc-bench-'))
const [postgres, nats] = await Promise.all([startPostgres(), startNats()])
if (!postgres.available || !nats.available) throw new Error('PostgreSQL or nats-server is missing')
const mock = writeMockLauncher({ folder, name: 'mock.sh' })
const auth = ['--auth-enabled', `--api-keys=${KEY}`, '--auth-rate-limit=0']
const busEnv = {
  SVC_NATS_URL: nats.url,
  SVC_NATS_SERVICE_JWT: nats.service.jwt,
  SVC_NATS_SERVICE_SEED: nats.service.seed,
  SVC_NATS_ACCOUNT_SEED: nats.accountSeed,
  SVC_REGISTRATION_TOKEN: TOKEN,
  SVC_AUTO_APPROVE_NODES: 'true',
}

async function startOne(): Promise<Measured> {
  const database = postgres.available ? await postgres.createDatabase() : ''
  return startServer({
    folder: join(folder, 'one'),
    models: [MODEL],
    flags: [...auth, `--auth-database-url=${database}`, `--external-grpc-backends=mock:${mock.path}`],
  })
}

async function startFrontEnds(): Promise<readonly Measured[]> {
  const database = postgres.available ? await postgres.createDatabase() : ''
  const all: Measured[] = []
  for (let index = 0; index < FRONT_ENDS; index += 1) {
    const flags = ['--distributed', ...auth, `--auth-database-url=${database}`]
    const models = index === 0 ? [MODEL] : []
    all.push(await startServer({ folder: join(folder, `front-${index}`), models, flags, env: busEnv }))
  }
  return all
}

async function startWorker(frontEnd: Measured): Promise<() => Promise<void>> {
  const places = ['models', 'data', 'backends'].map((name) => `--${name}-path=${join(folder, 'worker', name)}`)
  const flags = [`--register-to=${frontEnd.url}`, '--node-name=w1', `--addr=127.0.0.1:${await freePort()}`]
  const child = spawn(process.execPath, [BUILT_SERVER, 'worker', ...flags, '--http-addr=127.0.0.1:0', ...places], {
    stdio: ['ignore', 'ignore', 'inherit'],
    env: { ...process.env, ...busEnv, SVC_EXTERNAL_GRPC_BACKENDS: `mock:${mock.path}` },
  })
  return async () => {
    child.kill('SIGTERM')
    await once(child, 'exit')
  }
}

async function waitUntilServed({ url }: Measured): Promise<void> {
  for (let attempt = 0; attempt < 300; attempt += 1) {
    const reply = await fetch(`${url}${CHAT_PATH}`, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body: BODY,
    })
    await reply.text()
    if (reply.status === 200) return
    await new Promise((resolve) => setTimeout(resolve, 200))
  }
  throw new Error(`${url} does not serve the model`)
}

interface Figures extends LoadFigures {
  readonly cpuMicroseconds: number
}

async function measure({ url, cpuSeconds }: Measured, connections: number): Promise<Figures> {
  const begun = cpuSeconds()
  const load = await runLoad({ url, path: CHAT_PATH, body: BODY, headers, connections, seconds })
  return { ...load, cpuMicroseconds: ((cpuSeconds() - begun) / load.requests) * 1e6 }
}

const one = await startOne()
const frontEnds = await startFrontEnds()
const [first] = frontEnds
if (first === undefined) throw new Error('no front end')
const stopWorker = await startWorker(first)
try {
  for (const server of [one, ...frontEnds]) await waitUntilServed(server)
  for (const server of [one, first]) await measure(server, 8)
  console.log(`load of the machine ${loadavg()[0]?.toFixed(1)}; medians of ${rounds} rounds of ${seconds} s\n`)
  for (const connections of [1, 8]) {
    const [alone, cluster]: [Figures[], Figures[]] = [[], []]
    for (let round = 0; round < rounds; round += 1) {
      alone.push(await measure(one, connections))
      cluster.push(await measure(first, connections))
    }
    const at = (all: readonly Figures[], read: (figures: Figures) => number): number => median(all.map(read))
    for (const [name, read] of [
      ['p50, ms', (figures: Figures) => figures.p50Ms],
      ['CPU of the server a request, µs', (figures: Figures) => figures.cpuMicroseconds],
    ] as const) {
      const [a, b] = [at(alone, read), at(cluster, read)]
      console.log(
        `${connections} clients, ${name}: one machine ${a.toFixed(2)}, cluster ${b.toFixed(2)}, ratio ${(b / a).toFixed(2)}`,
      )
    }
  }
  for (const count of [1, 2, FRONT_ENDS]) {
    const used = frontEnds.slice(0, count)
    const all = await Promise.all(used.map((server) => measure(server, Math.max(1, 8 / count))))
    const rate = all.reduce((sum, { requestsPerSecond }) => sum + requestsPerSecond, 0)
    const cpu = all.reduce((sum, { cpuMicroseconds, requests }) => sum + cpuMicroseconds * requests, 0)
    const requests = all.reduce((sum, each) => sum + each.requests, 0)
    console.log(
      `${count} front ends: ${rate.toFixed(0)} requests/s, CPU of a front end a request ${(cpu / requests).toFixed(0)} µs`,
    )
  }
} finally {
  await stopWorker()
  for (const server of [one, ...frontEnds]) await server.stop()
  await nats[Symbol.asyncDispose]()
  await postgres[Symbol.asyncDispose]()
  rmSync(folder, { recursive: true, force: true })
}
