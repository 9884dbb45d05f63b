import { afterAll, beforeAll, describe, expect } from 'vitest'
import { loadConfig } from '../../src/config/load.ts'
import { errorBody } from '../../src/http/error-envelopes.ts'
import { toStatus } from '../../src/http/error-map.ts'
import { createGate } from '../../src/http/middleware/authorize.ts'
import { type ErrorFamily, listPaths } from '../../src/http/route-info.ts'
import { toPublicError } from '../../src/public-error.ts'
import { toPerson } from '../support/people.ts'
import { startTestServer, type TestServer } from '../support/server.ts'
import { verifies } from './verifies.ts'

const KEY = 'shared-key'
const KEYED = { 'x-api-key': KEY }
const USER = toPerson('u')
const CHAT = 'POST /v1/chat/completions'

let server: TestServer
beforeAll(async () => {
  server = await startTestServer({ flags: [`--api-keys=${KEY}`] })
})
afterAll(() => server.close())

const concrete = (pattern: string): string => pattern.replace(/:\w+(?:\{[^}]*\})?|\*/g, 'x')

async function expectKeyAsked(...routes: string[]): Promise<void> {
  for (const route of routes) {
    const [method = '', pattern = ''] = route.split(' ')
    const refused = await server.call(concrete(pattern), { method })
    expect([refused.status, refused.headers['www-authenticate']], route).toEqual([401, 'Bearer'])
    const { status } = await server.call(concrete(pattern), { method, headers: KEYED })
    expect([401, 403], route).not.toContain(status)
  }
}

function findAccess(name: string): string | undefined {
  return server.server.routes.find((route) => listPaths(route).some((path) => `${route.method} ${path}` === name))
    ?.access
}

async function expectAdminAsked(...routes: string[]): Promise<void> {
  await expectKeyAsked(...routes)
  for (const route of routes) expect(findAccess(route), route).toBe('admin')
}

async function expectAnyUser(...routes: string[]): Promise<void> {
  await expectKeyAsked(...routes)
  for (const route of routes) expect(findAccess(route), route).toBe('any')
}

describe('routes for every authenticated caller', () => {
  verifies('gate:any:version', 'the version', () => expectAnyUser('GET /version'))
  verifies('gate:any:chat', 'chat completions', () => expectAnyUser(CHAT))
  verifies('gate:any:model-lists', 'lists of models and backends ask for a key', () =>
    expectKeyAsked('GET /v1/models', 'GET /models', 'GET /api/models', 'GET /api/backends', 'GET /backends'),
  )
  verifies('gate:any:mcp-chat', 'MCP chat under its three paths', () =>
    expectAnyUser('POST /v1/mcp/chat/completions', 'POST /mcp/v1/chat/completions', 'POST /mcp/chat/completions'),
  )
  verifies('gate:any:moderations', 'moderations', () => expectAnyUser('POST /v1/moderations', 'POST /moderations'))
  verifies('gate:any:generated-files', 'generated files', () =>
    expectAnyUser(
      'GET /generated-audio/:name',
      'GET /generated-images/:name',
      'GET /generated-videos/:name',
      'GET /generated-3d/:name',
    ),
  )
  verifies('gate:any:other-inference', 'every inference route', async () => {
    for (const path of [
      '/v1/chat/completions',
      '/v1/completions',
      '/v1/embeddings',
      '/v1/edits',
      '/v1/images/generations',
      '/v1/images/edits',
      '/v1/images/upscale',
      '/v1/audio/transcriptions',
      '/v1/audio/speech',
      '/v1/audio/vad',
      '/tts',
      '/vad',
      '/video',
      '/v1/video/generations',
      '/v1/text-to-speech/someone',
      '/v1/sound-generation',
      '/v1/rerank',
      '/v1/tokenize',
      '/v1/detokenize',
      '/v1/detection',
      '/v1/messages',
      '/v1/responses',
      '/stores/set',
      '/stores/get',
      '/stores/delete',
      '/stores/find',
      '/api/chat',
      '/api/generate',
      '/api/embed',
    ]) {
      expect((await server.post(path, {})).status, path).toBe(401)
    }
    const reply = await server.post('/v1/audio/unknown', {}, { authorization: `Bearer ${KEY}` })
    expect([reply.status, reply.json()]).toEqual([
      404,
      { error: { code: 404, message: 'Resource not found', type: '', param: null } },
    ])
  })
  verifies('gate:any:features', 'features', () => expectAnyUser('GET /api/features'))
  verifies('gate:any:cors-proxy', 'the CORS proxy', () => expectAnyUser('GET /api/cors-proxy'))
})

describe('routes for admins', () => {
  verifies('discovery:branding:write', 'changes of the branding', () =>
    expectAdminAsked('POST /api/branding/asset/:kind', 'DELETE /api/branding/asset/:kind'),
  )
  verifies('gate:admin:accounts', 'accounts', () =>
    expectAdminAsked(
      'GET /api/auth/admin/users',
      'PUT /api/auth/admin/users/:id/role',
      'DELETE /api/auth/admin/users/:id',
      'GET /api/auth/admin/usage',
      'GET /api/auth/admin/usage/sources',
      'POST /api/auth/admin/invites',
      'GET /api/auth/admin/invites',
      'DELETE /api/auth/admin/invites/:id',
    ),
  )
  verifies('gate:admin:slots', 'slots', () => expectAdminAsked('POST /v1/slots/save', 'POST /v1/slots/restore'))
  verifies('gate:admin:system', 'the system', () => expectAdminAsked('GET /system'))
  verifies('gate:admin:resources', 'resources', () => expectAdminAsked('GET /api/resources'))
  verifies('gate:admin:backend-monitor', 'monitor, load and shutdown', () =>
    expectAdminAsked(
      'GET /backend/monitor',
      'GET /v1/backend/monitor',
      'POST /backend/load',
      'POST /v1/backend/load',
      'POST /backend/shutdown',
    ),
  )
  verifies('gate:admin:operations', 'operations', () =>
    expectAdminAsked(
      'GET /api/operations',
      'GET /api/operations/history',
      'POST /api/operations/:jobID/cancel',
      'POST /api/operations/:jobID/pause',
      'POST /api/operations/:jobID/dismiss',
      'DELETE /api/operations/history',
    ),
  )
  verifies('gate:admin:model-management', 'management of models and backends', () =>
    expectAdminAsked(
      'GET /api/models',
      'POST /api/models/install/:id{.+}',
      'POST /api/models/delete/:id{.+}',
      'PATCH /api/models/config-json/:name{.+}',
      'GET /api/backends',
      'POST /api/backends/install/:id{.+}',
      'POST /api/backends/delete/:id{.+}',
      'GET /models/available',
      'GET /models/galleries',
      'GET /models/jobs/:uuid',
      'GET /backends',
      'GET /backends/available',
      'GET /backends/galleries',
      'POST /models/reload',
    ),
  )
  verifies('gate:admin:traces', 'traces', () =>
    expectAdminAsked('GET /api/traces', 'GET /api/traces/:id', 'GET /api/traces/summary', 'POST /api/traces/clear'),
  )
  verifies('gate:admin:backend-traces', 'backend traces', () =>
    expectAdminAsked('GET /api/backend-traces', 'GET /api/backend-traces/:id', 'POST /api/backend-traces/clear'),
  )
  verifies('gate:admin:backend-logs', 'backend logs', () =>
    expectAdminAsked('GET /api/backend-logs', 'GET /api/backend-logs/*', 'POST /api/backend-logs/*'),
  )
  verifies('gate:admin:settings', 'settings', () => expectAdminAsked('GET /api/settings', 'POST /api/settings'))
  verifies('gate:admin:p2p', 'the peer-to-peer network', () => expectAdminAsked('GET /api/p2p', 'GET /api/p2p/token'))
  verifies('gate:admin:agents', 'agents, tasks and jobs', () =>
    expectAdminAsked(
      'GET /api/agents',
      'POST /api/agents',
      'POST /api/agents/:name/chat',
      'GET /api/agent/tasks',
      'POST /api/agent/tasks/:name/execute',
      'GET /api/agent/jobs',
      'POST /api/agent/jobs/execute',
    ),
  )
  verifies('gate:admin:pii-events', 'PII events', () => expectAdminAsked('GET /api/pii/events'))
  verifies('gate:admin:middleware-status', 'the middleware', () => expectAdminAsked('GET /api/middleware/status'))
  verifies('gate:admin:router-decisions', 'routing decisions', () => expectAdminAsked('GET /api/router/decisions'))
  verifies('gate:admin:router-corpus', 'the corpus of a router', () =>
    expectAdminAsked(
      'POST /api/router/:name/corpus',
      'GET /api/router/:name/corpus/stats',
      'DELETE /api/router/:name/corpus',
    ),
  )
  verifies('gate:admin:score', 'scoring', () => expectAdminAsked('POST /api/score'))
  verifies('metrics:access:admin', 'metrics', () => expectAdminAsked('GET /metrics'))
  verifies(['access:user:not-admin', 'errors:admin:status'], 'refuse a caller without the admin role with 403', () => {
    const gate = createGate(
      { isConfigured: true, authenticate: () => USER, recheck: async () => USER },
      { pathWithoutAuth: [] },
    )
    const incoming = { headers: {}, url: '/' } as Parameters<typeof gate.admit>[1]
    for (const route of server.server.routes) {
      if (route.access === 'none') continue
      const admit = (): unknown => gate.admit(toRequest(route), incoming)
      if (route.access !== 'admin') expect(admit(), route.path).toBe(USER)
      else
        expect(toFailure(admit, route.family), route.path).toEqual([
          403,
          errorBody(toPublicError(thrownBy(admit)), route.family),
        ])
    }
    const admin = server.server.routes.find((route) => route.access === 'admin' && route.family === 'compatible')
    if (admin === undefined) throw new Error('no route asks for an admin')
    expect(toFailure(() => gate.admit(toRequest(admin), incoming))[1]).toEqual({
      error: { code: 403, message: 'Admin access required', type: 'authorization_error', param: null },
    })
  })
})

function toRequest(route: (typeof server.server.routes)[number]) {
  return { route, matched: { pattern: route.path, path: route.path }, clientAddress: '192.0.2.1' }
}

function thrownBy(run: () => unknown): unknown {
  try {
    run()
  } catch (error) {
    return error
  }
  throw new Error('nothing was thrown')
}

function toFailure(run: () => unknown, family: ErrorFamily = 'compatible'): [status: number, body: unknown] {
  const error = toPublicError(thrownBy(run))
  return [toStatus(error), errorBody(error, family)]
}

describe('exceptions of the operator', () => {
  verifies('gate:path-without-auth:empty', 'there are none by default', async () => {
    const command = loadConfig({ argv: [], env: {}, cwd: '/' })
    expect(command).toMatchObject({ kind: 'run', config: { pathWithoutAuth: [] } })
    expect((await server.call('/v1/models')).status).toBe(401)
  })

  verifies('gate:path-without-auth:opens', 'a prefix opens every method below it', async () => {
    await using open = await startTestServer({ flags: [`--api-keys=${KEY}`, '--path-without-auth=/v1,/api'] })
    expect((await open.call('/v1/models')).status).toBe(200)
    expect((await open.post('/v1/chat/completions', { model: 'nobody', messages: [] })).status).toBe(404)
    expect((await open.call('/version')).status).toBe(401)
    expect((await open.call('/api/settings')).status).toBe(401)
  })

  verifies(['gate:get-exempt:matches', 'gate:get-exempt:other-methods'], 'exempted GET routes', async () => {
    await using open = await startTestServer({
      flags: [`--api-keys=${KEY}`],
      env: {
        SVC_DISABLE_API_KEY_REQUIREMENT_FOR_HTTP_GET: 'true',
        SVC_HTTP_GET_EXEMPTED_ENDPOINTS: '^/version$,^/api/settings$',
      },
    })
    for (const path of ['/version', '/api/settings']) expect((await open.call(path)).status, path).toBe(200)
    expect((await open.post('/api/settings', {})).status).toBe(401)
    expect((await open.call('/v1/models')).status).toBe(401)
  })

  verifies('gate:get-exempt:flag-needed', 'expressions without the flag open nothing', async () => {
    await using closed = await startTestServer({
      flags: [`--api-keys=${KEY}`],
      env: { SVC_HTTP_GET_EXEMPTED_ENDPOINTS: '^/version$' },
    })
    expect((await closed.call('/version')).status).toBe(401)
  })
})
