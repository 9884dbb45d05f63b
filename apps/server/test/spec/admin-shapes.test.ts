import { eventually } from '@svc/test-kit'
import { afterAll, beforeAll, describe, expect } from 'vitest'
import { stringify } from 'yaml'
import { type AccountsWorld, startAccountsWorld } from '../support/accounts-world.ts'
import { type GalleryWorld, hubPath, mockEntry, startGalleryWorld, WEIGHTS } from '../support/gallery-world.ts'
import { modelForAllRoutes, nameModel, ROUTE_BODIES } from '../support/route-bodies.ts'
import { JUDGE, POLICIES } from '../support/router-world.ts'
import { startTestServer, type TestServer } from '../support/server.ts'
import { verifies } from './verifies.ts'

interface UsageBucket {
  readonly total_tokens: number
  readonly prompt_tokens: number
  readonly request_count: number
}

let world: GalleryWorld
let server: TestServer
let accounts: AccountsWorld

beforeAll(async () => {
  world = await startGalleryWorld({ files: { [hubPath('one.bin')]: WEIGHTS }, flags: ['--enable-tracing'] })
  server = world.server
  world.setIndex([mockEntry('one')])
  await modelForAllRoutes(server)
  await server.model('broken', { rules: [{ rpc: 'Predict*', do: { failure: { status: 'INTERNAL', message: 'x' } } }] })
  await server.model('judge', JUDGE, { known_usecases: ['score'] })
  await server.model('embedder', {}, { known_usecases: ['embeddings'], embeddings: true })
  const router = (name: string, keys: object) =>
    server.writeModelFile(`${name}.yaml`, stringify({ name, router: { policies: POLICIES, candidates: [], ...keys } }))
  await router('lost', { classifier_model: 'gone', fallback: 'm' })
  await router('stuck', { classifier_model: 'gone' })
  const knn = { embedding_model: 'embedder' }
  await router('near', { classifier: 'knn', knn, fallback: 'm', candidates: [{ model: 'm', labels: ['code'] }] })
  accounts = await startAccountsWorld()
  await modelForAllRoutes(accounts)
})
afterAll(async () => {
  await world[Symbol.asyncDispose]()
  await accounts.close()
})

const read = async <T>(path: string): Promise<T> => (await server.call(path)).json() as T

/** The shapes, each with its name, and a check that it holds on the servers of the file. */
const SHAPES: readonly (readonly [name: string, holds: () => Promise<void>])[] = [
  [
    'the task of an operation has one spelling, in lower case, while it is listed and in the history',
    async () => {
      const { jobID } = (await server.post('/api/models/install/test@one', {})).json() as { jobID: string }
      const listed = (await world.operations()).map(({ taskType }) => taskType)
      await world.finished(jobID)
      await server.post('/api/models/delete/one', {})
      await eventually(async () => expect(await world.operations()).toEqual([]))
      const recorded = (await world.history()).map(({ taskType }) => taskType)
      expect(recorded).toEqual(['deletion', 'installation'])
      for (const task of listed) expect(task).toBe('installation')
    },
  ],
  [
    'a trace has the real status of its reply, and a summary counts only failures of the server',
    async () => {
      await server.post('/v1/chat/completions', { model: 'm', messages: 5 })
      await server.chat('broken')
      await server.chat('m')
      const traces = await read<{ response: { status: number } }[]>('/api/traces?limit=3')
      expect(traces.map(({ response }) => response.status)).toEqual([200, 500, 400])
      expect(await read('/api/traces/summary')).toMatchObject({ total: 3, errors: 1 })
    },
  ],
  [
    'both lists of capabilities have their own shape and one order',
    async () => {
      const own = await read<{ data: { id: string; capabilities: string[] }[] }>('/api/models/capabilities')
      const compatible = await read<{ object: string; data: { id: string; object: string }[] }>(
        '/v1/models/capabilities',
      )
      expect(own.data.find(({ id }) => id === 'judge')).toEqual({
        id: 'judge',
        capabilities: ['FLAG_SCORE'],
        backend: 'mock',
        disabled: false,
        pinned: false,
      })
      expect(compatible).toMatchObject({ object: 'list' })
      expect(compatible.data.find(({ id }) => id === 'm')).toMatchObject({
        object: 'model',
        capabilities: expect.arrayContaining(['chat']),
        input_modalities: ['text', 'image', 'audio'],
        output_modalities: ['text', 'image', 'audio', 'video'],
      })
      for (const { data } of [own, compatible]) {
        const ids = data.map(({ id }) => id)
        expect(ids).toEqual([...ids].sort())
      }
    },
  ],
  [
    'a router without a classifier serves by its fallback and records it, and fails without one',
    async () => {
      expect((await server.chat('lost')).json()).toMatchObject({ model: 'm' })
      const { decisions } = await read<{ decisions: object[] }>('/api/router/decisions?limit=1')
      expect(decisions).toMatchObject([
        { router_model: 'lost', label: 'fallback', classifier: 'fallback', served_model: 'm' },
      ])
      expect((await server.chat('stuck')).status).toBe(500)
    },
  ],
  [
    'texts can be added to a corpus again and again',
    async () => {
      for (const text of ['fix it', 'mend it', 'repair it']) {
        const reply = await server.post('/api/router/near/corpus', { entries: [{ text, labels: ['code'] }] })
        expect([reply.status, reply.json()]).toMatchObject([200, { router: 'near', added: 1, skipped: 0 }])
      }
      expect(await read('/api/router/near/corpus/stats')).toMatchObject({ total: 3, label_counts: { code: 3 } })
    },
  ],
  [
    'a score of an unknown model is 404, and of a malformed name 400',
    async () => {
      const ask = async (model: string) =>
        (await server.post('/api/score', { model, prompt: 'a', candidates: ['b'] })).status
      expect([await ask('nobody'), await ask('a/b'), await ask('../m')]).toEqual([404, 404, 400])
    },
  ],
  [
    'a quota is answered as it counts, from the moment it is made',
    async () => {
      const bob = await accounts.member('bob')
      await accounts.post('/v1/chat/completions', { model: 'm', ...ROUTE_BODIES['/v1/chat/completions'] }, bob.headers)
      const fields = { model: '', max_requests: 3, max_total_tokens: 100, window: '1h' }
      const reply = await accounts.admin.browser.send('PUT', `/api/auth/admin/users/${bob.id}/quotas`, fields)
      expect(reply.json()).toMatchObject({
        message: expect.any(String),
        quota: { ...fields, model: expect.anything(), current_requests: 0, current_total_tokens: 0 },
      })
    },
  ],
  [
    'usage is there with the reply, with all its figures, for every inference route',
    async () => {
      const eve = await accounts.member('eve')
      for (const [path, body] of Object.entries(ROUTE_BODIES)) {
        if (path === '/api/score' || path.startsWith('/v1/slots/')) continue
        const before = await countRequests(eve.headers)
        expect([path, (await accounts.post(path, { ...nameModel(path, 'm'), ...body }, eve.headers)).status]).toEqual([
          path,
          200,
        ])
        expect([path, await countRequests(eve.headers)]).toEqual([path, before + 1])
      }
      const { usage } = (await accounts.call('/api/auth/usage', { headers: eve.headers })).json() as {
        usage: UsageBucket[]
      }
      for (const bucket of usage) expect(bucket.total_tokens).toBeGreaterThanOrEqual(bucket.prompt_tokens)
    },
  ],
  [
    'with shared keys only, accounts are not there but their routes are, and the scheme of a key has any case',
    async () => {
      await using shared = await startTestServer({ flags: ['--api-keys=one-shared-key'] })
      for (const authorization of [
        'Bearer one-shared-key',
        'bearer one-shared-key',
        'BEARER one-shared-key',
        'one-shared-key',
      ]) {
        expect([authorization, (await shared.call('/v1/models', { headers: { authorization } })).status]).toEqual([
          authorization,
          200,
        ])
      }
      const headers = { authorization: 'Bearer one-shared-key', 'content-type': 'application/json' }
      const signIn = await shared.post('/api/auth/token-login', { token: 'one-shared-key' })
      expect(signIn.status).toBe(200)
      for (const path of ['/api/auth/me', '/api/auth/usage', '/api/auth/admin/users']) {
        expect([path, (await shared.call(path, { headers })).status]).not.toEqual([path, 401])
      }
    },
  ],
  [
    'pages are served whatever a client accepts, and an unknown path of the API is 404 as JSON',
    async () => {
      for (const path of ['/swagger/index.html', '/swagger/doc.json'])
        expect([path, (await server.call(path)).status]).toEqual([path, 200])
      for (const accept of ['text/html', '*/*', 'application/json']) {
        const reply = await server.call('/api/nothing', { headers: { accept } })
        expect([accept, reply.status, reply.json()]).toMatchObject([
          accept,
          404,
          { error: { message: 'Resource not found' } },
        ])
      }
    },
  ],
  [
    'an empty request to install is 400',
    async () => {
      for (const path of ['/models/apply', '/backends/apply', '/models/import-uri', '/api/backends/install-external']) {
        expect([path, (await server.post(path, {})).status]).toEqual([path, 400])
      }
    },
  ],
  [
    'switches of a model answer with the name of its file, without folders',
    async () => {
      for (const path of [
        'toggle-pinned/judge/pin',
        'toggle-pinned/judge/unpin',
        'toggle-state/judge/disable',
        'toggle-state/judge/enable',
      ]) {
        const reply = await server.call(`/models/${path}`, { method: 'PUT' })
        expect([path, reply.json()]).toMatchObject([
          path,
          { success: true, filename: 'judge.yaml', pending_cleanup: 0 },
        ])
      }
    },
  ],
  [
    'GET /system lists models, none without an id, in one order',
    async () => {
      const list = async () =>
        (await read<{ loaded_models: { id: string }[] }>('/system')).loaded_models.map(({ id }) => id)
      const ids = await list()
      expect(ids.length).toBeGreaterThan(1)
      expect([ids, ids.includes('')]).toEqual([await list(), false])
      expect(ids).toEqual([...ids].sort())
    },
  ],
  [
    'the histogram of calls has the labels method and path',
    async () => {
      const lines = (await server.call('/metrics')).text.split('\n').filter((line) => line.startsWith('api_call_count'))
      expect(lines.length).toBeGreaterThan(3)
      for (const line of lines) expect(line).toMatch(/^api_call_count\{method="[A-Z]+",path="[^"]+"\} \d+$/)
    },
  ],
]

async function countRequests(headers: Readonly<Record<string, string>>): Promise<number> {
  const { usage } = (await accounts.call('/api/auth/usage', { headers })).json() as { usage: UsageBucket[] }
  return usage.reduce((sum, { request_count: count }) => sum + count, 0)
}

describe('the replies of management routes', () => {
  for (const [name, holds] of SHAPES) verifies('shapes:admin:replies', name, holds)
})
