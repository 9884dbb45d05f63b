import { startNats, startPostgres } from '@svc/test-kit'
import type { Page } from 'playwright-core'
import type { BuiltServer } from '../../server/test/support/built-server.ts'
import { startServerWithAccounts } from './harness.ts'

/** What workers register with. */
const TOKEN = 'token-of-the-workers-of-tests'

/** A server with workers, and its engines. */
export interface NodeServer extends AsyncDisposable {
  readonly server: BuiltServer
  /** Registers a worker. @returns its id */
  register(worker: Readonly<Record<string, unknown>>): Promise<string>
}

/** Starts PostgreSQL, NATS and the built server; undefined where this machine lacks one of them. */
export async function startNodeServer(): Promise<NodeServer | undefined> {
  const [postgres, nats] = await Promise.all([startPostgres(), startNats()])
  const end = async (): Promise<void> => {
    await nats[Symbol.asyncDispose]()
    await postgres[Symbol.asyncDispose]()
  }
  if (!postgres.available || !nats.available) {
    console.warn('the pages of workers are not tested: PostgreSQL or NATS is missing')
    await end()
    return undefined
  }
  const server = await startServerWithAccounts({
    flags: ['--distributed', '--federated', `--auth-database-url=${await postgres.createDatabase()}`],
    env: {
      SVC_NATS_URL: nats.url,
      SVC_NATS_SERVICE_JWT: nats.service.jwt,
      SVC_NATS_SERVICE_SEED: nats.service.seed,
      SVC_NATS_ACCOUNT_SEED: nats.accountSeed,
      SVC_REGISTRATION_TOKEN: TOKEN,
    },
  })
  return {
    server,
    async register(worker) {
      const reply = await fetch(`${server.url}/api/node/register`, {
        method: 'POST',
        headers: { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' },
        body: JSON.stringify({ ...WORKER, ...worker }),
      })
      if (reply.status !== 201) throw new Error(`a worker: ${reply.status} ${await reply.text()}`)
      return ((await reply.json()) as { readonly id: string }).id
    },
    async [Symbol.asyncDispose]() {
      await server[Symbol.asyncDispose]()
      await end()
    },
  }
}

/** What a worker sends when it registers. */
const WORKER = {
  address: '127.0.0.1:26051',
  http_address: '127.0.0.1:26050',
  capability: 'nvidia-cuda-12',
  gpu_vendor: 'nvidia',
  gpu_compute_capability: '8.9',
  total_vram: 24_000_000_000,
  available_vram: 15_000_000_000,
  total_ram: 64_000_000_000,
  available_ram: 41_000_000_000,
  total_disk: 500_000_000_000,
  available_disk: 30_000_000_000,
  max_replicas_per_model: 2,
  labels: { zone: 'a', tier: 'fast' },
}

/** A model on a worker, as the server lists it. */
const replica = (node: { readonly id: string; readonly name: string }, more: object = {}) => ({
  id: `${node.id}-demo-0`,
  node_id: node.id,
  node_name: node.name,
  model_name: 'demo',
  replica_index: 0,
  address: '127.0.0.1:26060',
  state: 'loaded',
  in_flight: 2,
  last_used: new Date(Date.now() - 90_000).toISOString(),
  backend_type: 'llama',
  size_vram: 3_200_000_000,
  created_at: new Date(Date.now() - 900_000).toISOString(),
  ...more,
})

/** Answers what a running worker would: its models, backends and output, and an installation of a backend. */
export async function answerForWorkers(
  page: Page,
  node: { readonly id: string; readonly name: string },
): Promise<void> {
  const answer = (path: string, body: unknown) =>
    page.route(`**${path}`, (route) =>
      route.request().method() === 'GET' ? route.fulfill({ json: body }) : route.fallback(),
    )
  const replicas = [
    replica(node),
    replica(node, {
      id: 'second',
      model_name: 'owner/large-model',
      state: 'staging',
      in_flight: 0,
      size_vram: undefined,
    }),
    replica(node, { id: 'third', model_name: 'old', state: 'unloading', cleanup_error: 'the worker does not answer' }),
  ]
  await answer('/api/nodes/models', replicas)
  await answer(`/api/nodes/${node.id}/models`, replicas)
  await answer(`/api/nodes/${node.id}/backends`, [
    {
      name: 'llama',
      is_system: false,
      is_meta: true,
      installed_at: '',
      gallery_url: '',
      version: '1.4.0',
      uri: '',
      digest: '',
    },
    {
      name: 'onnx',
      is_system: true,
      is_meta: false,
      installed_at: '',
      gallery_url: '',
      version: '',
      uri: '',
      digest: '',
    },
  ])
  const lines = Array.from({ length: 40 }, (_, second) => ({
    timestamp: new Date(Date.UTC(2026, 0, 1, 8, 0, second)).toISOString(),
    stream: second % 7 === 3 ? 'stderr' : 'stdout',
    text: `slot ${second} is ready`,
  }))
  await page.routeWebSocket(new RegExp(`/ws/nodes/${node.id}/backend-logs/demo$`), (socket) => {
    socket.send(JSON.stringify({ type: 'initial', lines }))
  })
  await answer('/api/operations', {
    operations: [
      {
        id: 'demo',
        name: 'owner/large-model',
        fullName: 'owner/large-model',
        jobID: 'job-1',
        progress: 40,
        taskType: 'staging',
        isDeletion: false,
        isBackend: false,
        isQueued: false,
        cancellable: true,
        message: '',
        phase: 'Downloading',
        currentBytes: 4_000_000_000,
        totalBytes: 10_000_000_000,
        bytesPerSecond: 100_000_000,
        secondsLeft: 60,
        nodes: [{ node_id: node.id, node_name: node.name, status: 'Downloading', percentage: 40 }],
      },
    ],
  })
}
