import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { connect, createServer } from 'node:net'
import { join } from 'node:path'
import { writeMockLauncher } from '@svc/backend-mock/script'
import { eventually, patienceMs } from '@svc/test-kit'
import { systemClock } from '../../src/clock.ts'
import { nodeSubject } from '../../src/cluster/contract/subjects.ts'
import { createNatsMessenger } from '../../src/cluster/nats/create-nats-messenger.ts'
import { silentLogger } from '../../src/db/__fixtures__/places.ts'
import { openFileServer } from '../../src/worker/files/file-server.ts'
import type { TestServer } from './server.ts'

/** A worker whose backends are processes of the mock. */
export interface MockWorker extends AsyncDisposable {
  readonly id: string
  readonly name: string
  /** Folder of the files of requests. */
  readonly stagingFolder: string
  /** Running processes, `<model>#<index>`. */
  readonly running: ReadonlyMap<string, { readonly address: string; readonly child: ChildProcess }>
  /** Requests to install, in order. */
  readonly installs: readonly string[]
  /** Says that it has stopped processes, and lets them run. */
  lie(lies: boolean): void
  /** Waits before each installation. */
  hold(until: Promise<void>): void
  /** Leaves the bus, and kills its processes. */
  die(): Promise<void>
}

/** @param options.token registration token of the servers */
export async function startMockWorker(
  server: TestServer,
  { natsUrl, name, token, folder }: { natsUrl: string; name: string; token: string; folder: string },
): Promise<MockWorker> {
  const { command, args } = writeMockLauncher({ folder })
  const folders = {
    models: join(folder, name, 'models'),
    data: join(folder, name, 'data'),
    staging: join(folder, name, 'staging'),
  }
  const files = await openFileServer({
    host: '127.0.0.1',
    port: 0,
    token,
    folders,
    logs: { models: () => [], read: () => undefined, follow: () => undefined },
    isReady: () => true,
    clock: systemClock,
    logger: silentLogger,
  })
  const addresses = { address: '127.0.0.1:1', http_address: `127.0.0.1:${files.port}` }
  const resources = { total_ram: 16e9, available_ram: 8e9, total_disk: 100e9, available_disk: 50e9 }
  const body = { name, token, ...addresses, ...resources }
  const reply = await server.post('/api/node/register', body, { authorization: `Bearer ${token}` })
  const registered = reply.json() as { id: string; nats_jwt: string; nats_user_seed: string }
  const { id } = registered
  const bus = await createNatsMessenger({
    url: natsUrl,
    credentials: { jwt: registered.nats_jwt, seed: registered.nats_user_seed },
    name,
    inboxPrefix: '_INBOX',
    firstConnectionMs: patienceMs(),
    clock: systemClock,
    logger: silentLogger,
  })
  const running = new Map<string, { readonly address: string; readonly child: ChildProcess }>()
  const installs: string[] = []
  let held: Promise<void> = Promise.resolve()
  let lies = false

  const starting = new Map<string, Promise<string>>()
  /** Requests for one process at the same time share its start. */
  async function install(key: string): Promise<string> {
    installs.push(key)
    await held
    const known = running.get(key)
    const started = starting.get(key) ?? (known === undefined ? start(key) : Promise.resolve(known.address))
    starting.set(key, started)
    return started.finally(() => starting.delete(key))
  }
  async function start(key: string): Promise<string> {
    const port = await freePort()
    const child = spawn(command, [...args, '--addr', `127.0.0.1:${port}`], {
      env: { PATH: process.env.PATH, LOCALAI_GRPC_AUTH_TOKEN: token },
      stdio: 'ignore',
    })
    const address = `127.0.0.1:${port}`
    running.set(key, { address, child })
    child.once('exit', () => {
      if (running.get(key)?.child === child) running.delete(key)
    })
    const exited = once(child, 'exit').then(() => Promise.reject(new Error('the process has ended')))
    await Promise.race([exited, eventually(() => isListening(port))])
    return address
  }
  async function end(key: string): Promise<void> {
    const child = running.get(key)?.child
    if (child === undefined) return
    const exited = once(child, 'exit')
    child.kill('SIGKILL')
    await exited
  }
  bus.serve(nodeSubject(id, 'backend.install'), async (payload) => {
    const { model_id: model, replica_index: index = 0 } = payload as { model_id: string; replica_index?: number }
    return install(`${model}#${index}`).then(
      (address) => ({ success: true, address }),
      (error: unknown) => ({ success: false, error: String(error) }),
    )
  })
  bus.serve(nodeSubject(id, 'models.running'), async () => ({
    models: [...running].map(([key, { address }]) => {
      const at = key.lastIndexOf('#')
      return { model_id: key.slice(0, at), replica_index: Number(key.slice(at + 1)), address }
    }),
  }))
  bus.serve(nodeSubject(id, 'model.stop'), async (payload) => {
    const { process_key: key, expected_address: address } = payload as Record<string, string>
    const matched = running.get(key ?? '')?.address === address
    if (matched && lies) return { matched, freed: true, terminated: false, process_key: key, address }
    if (matched) await end(key ?? '')
    return { matched, terminated: matched, process_key: key, address }
  })
  await eventually(() => {
    if (!bus.isConnected) throw new Error('the worker is not on the bus')
  })
  async function die(): Promise<void> {
    await bus.close()
    await files.close()
    await Promise.all([...running.keys()].map(end))
  }
  return {
    id,
    name,
    stagingFolder: folders.staging,
    running,
    installs,
    lie(now) {
      lies = now
    },
    hold(until) {
      held = until
    },
    die,
    [Symbol.asyncDispose]: die,
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  await once(server, 'close')
  return typeof address === 'object' && address !== null ? address.port : 0
}

function isListening(port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.destroy()
      resolve()
    })
    socket.once('error', reject)
  })
}
