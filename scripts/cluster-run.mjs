// The cluster of `pnpm cluster`: starts its parts, prints how to reach them, and ends them at a signal.
import { randomBytes } from 'node:crypto'
import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { startNats } from '../packages/test-kit/src/nats.ts'
import { findFreePort, startPostgres } from '../packages/test-kit/src/postgres.ts'
import { tempDir } from '../packages/test-kit/src/temp-dir.ts'
import { endProcesses, killOrphans, openBalancer, startProcess, waitForMessage } from './cluster-processes.mjs'

const HELP = `Starts PostgreSQL, nats-server, front ends and workers on the loopback interface, for trying.

  --front-ends N   number of front ends, 1 to 8 (2)
  --workers N      number of workers, 0 to 16 (3)
  --models FOLDER  models folder of all front ends (an empty one: the demo models)

Ctrl-C ends everything. Nothing is kept.
`
const MOST = { 'front-ends': [1, 8], workers: [0, 16] }
// A worker waits up to 35 s for running requests.
const WORKER_END_S = 45
const SERVER_END_S = 15
const START_S = 120
/** Ports between the first backends of two workers. */
const PORTS_OF_WORKER = 20

const secret = () => randomBytes(24).toString('base64url')

function readOptions() {
  const { values } = parseArgs({
    options: {
      'front-ends': { type: 'string', default: '2' },
      workers: { type: 'string', default: '3' },
      models: { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  })
  for (const [name, [least, most]] of Object.entries(MOST)) {
    const count = Number(values[name])
    if (!Number.isInteger(count) || count < least || count > most) {
      throw new Error(`--${name} must be a number from ${least} to ${most}`)
    }
  }
  return { ...values, frontEnds: Number(values['front-ends']), workers: Number(values.workers) }
}

const processes = { workers: [], frontEnds: [] }
/** What ends last, in the order of its start. */
const closing = []
let isEnding = false

async function end(exitCode) {
  if (isEnding) {
    for (const { child } of Object.values(processes).flat()) child.kill('SIGKILL')
    return
  }
  isEnding = true
  console.log('ending …')
  await endProcesses(processes.workers, 'SIGTERM', WORKER_END_S)
  await endProcesses(processes.frontEnds, 'SIGTERM', SERVER_END_S)
  for (const close of closing.reverse()) await close()
  process.exit(exitCode)
}

/** Starts the engines and says how the servers reach them. */
async function startEngines() {
  const postgres = await startPostgres()
  closing.push(() => postgres[Symbol.asyncDispose]())
  if (!postgres.available) throw new Error(`PostgreSQL does not start: ${postgres.reason}`)
  const nats = await startNats()
  closing.push(() => nats[Symbol.asyncDispose]())
  if (!nats.available) throw new Error(`NATS does not start: ${nats.reason}`)
  const bus = { SVC_NATS_URL: nats.url, SVC_REGISTRATION_TOKEN: secret() }
  return {
    urls: { postgres: postgres.url, nats: nats.url },
    ofWorkers: bus,
    ofFrontEnds: {
      ...bus,
      SVC_DISTRIBUTED: 'true',
      SVC_AUTH: 'true',
      SVC_AUTH_DATABASE_URL: postgres.url,
      SVC_AUTH_HMAC_SECRET: secret(),
      SVC_NATS_SERVICE_JWT: nats.service.jwt,
      SVC_NATS_SERVICE_SEED: nats.service.seed,
      SVC_NATS_ACCOUNT_SEED: nats.accountSeed,
      SVC_AUTO_APPROVE_NODES: 'true',
      SVC_EXPOSE_NODE_HEADER: 'true',
    },
  }
}

function watch(part) {
  void part.ended.then((how) => {
    if (!isEnding) console.log(`${part.name} (process ${part.child.pid}) has ended with ${how}`)
  })
  return part
}

async function startFrontEnds({ frontEnds, models }, folder, env) {
  const ports = []
  for (let number = 1; number <= frontEnds; number += 1) {
    const port = await findFreePort()
    const flags = [`--address=127.0.0.1:${port}`, ...(models === undefined ? [] : [`--models-path=${resolve(models)}`])]
    const name = `front-end-${number}`
    const part = startProcess({ folder, name }, ['run', ...flags], { ...env, SVC_INSTANCE_ID: name })
    processes.frontEnds.push(part)
    // The first one makes the tables.
    await waitForMessage(part, 'listening', START_S)
    watch(part)
    ports.push(port)
  }
  return ports
}

async function startWorkers({ workers }, folder, env, url) {
  const basePort = 40_000 + (process.pid % 50) * 400
  const parts = []
  for (let number = 1; number <= workers; number += 1) {
    const name = `worker-${number}`
    const port = basePort + number * PORTS_OF_WORKER
    const flags = [`--register-to=${url}`, `--node-name=${name}`, `--addr=127.0.0.1:${port}`]
    const range = [`--grpc-max-port=${port + PORTS_OF_WORKER - 2}`, '--http-addr=127.0.0.1:0']
    const part = startProcess({ folder, name }, ['worker', ...flags, ...range], env)
    processes.workers.push(part)
    parts.push(part)
  }
  await Promise.all(parts.map((part) => waitForMessage(part, 'the worker has joined', START_S)))
  for (const part of parts) watch(part)
}

function describe({ url, ports, folder, key, urls }) {
  const lines = [
    `\nall front ends   ${url}`,
    ...ports.map((port, index) =>
      row(`front end ${index + 1}`, `http://127.0.0.1:${port}`, processes.frontEnds[index]),
    ),
    ...processes.workers.map((part, index) => row(`worker ${index + 1}`, '', part)),
    `PostgreSQL       ${urls.postgres}`,
    `NATS             ${urls.nats}`,
    `logs             ${folder}/*.log`,
    `admin key        ${key}`,
    '',
    `curl -i ${url}/v1/chat/completions -H 'authorization: Bearer ${key}' -H 'content-type: application/json' -d '{"model":"demo","messages":[{"role":"user","content":"Hello!"}]}'`,
    `node apps/server/dist/main.js nodes list --address ${url.replace('http://', '')} --api-keys ${key}`,
    '\nCtrl-C ends everything.',
  ]
  console.log(lines.join('\n'))
}

const row = (name, url, { child }) => `${name.padEnd(16)} ${url}${url === '' ? '' : ' '}process ${child.pid}`

async function main() {
  const options = readOptions()
  if (options.help) return process.stdout.write(HELP, () => process.exit())
  process.on('message', () => void end(0))
  process.on('disconnect', () => void end(0))
  const { path: folder, close } = await tempDir('svc-cluster-')
  closing.push(close, () => killOrphans(folder))
  const key = `sk-${secret()}`
  console.log('starting PostgreSQL and NATS …')
  const { ofFrontEnds, ofWorkers, urls } = await startEngines()
  // The module that runs PostgreSQL would end this process at a signal before the other parts have ended.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.removeAllListeners(signal).on(signal, () => void end(0))
  console.log('starting the front ends …')
  const ports = await startFrontEnds(options, folder, { ...ofFrontEnds, SVC_API_KEY: key })
  const port = await findFreePort()
  const balancer = await openBalancer(port, ports)
  closing.push(() => balancer.close())
  const url = `http://127.0.0.1:${port}`
  console.log('starting the workers …')
  await startWorkers(options, folder, ofWorkers, url)
  describe({ url, ports, folder, key, urls })
}

main().catch(async (error) => {
  if (isEnding) return
  console.error(error.message)
  await end(1)
})
