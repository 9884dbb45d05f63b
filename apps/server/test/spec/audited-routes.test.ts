import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { HttpReply } from '../../src/http/http-reply.ts'
import type { MadeChange } from '../../src/http/route-audit.ts'
import { findChange } from '../../src/http/route-audit.ts'
import { listPaths, type RouteInfo } from '../../src/http/route-info.ts'
import { createPeople } from '../support/people.ts'
import { startTestServer, type TestServer } from '../support/server.ts'
import { startTestApp } from '../support/test-app.ts'
import { verifies } from './verifies.ts'

const asRoot = { authorization: 'Bearer root' }

let server: TestServer
beforeAll(async () => {
  server = await startTestServer({
    authenticator: createPeople(),
    flags: ['--auth-enabled', '--auth-rate-limit=0'],
  })
})
afterAll(() => server.close())

const nameRoute = ({ method, path }: RouteInfo): string => `${method} ${path}`
/** A path of a pattern, with a value for each name. */
const toPath = (pattern: string): string => pattern.replace(/:(\w+)(?:\{[^}]*\})?/g, 'the-$1').replace('*', 'y')

/** Routes for admins that write, and that leave no entry: each has its reason in its row. */
const UNRECORDED = [
  'DELETE /api/agents/git-repos/:id',
  'POST /api/agents/actions/:name/definition',
  'POST /api/agents/actions/:name/run',
  'POST /api/agents/collections/:name/search',
  'POST /api/agents/git-repos',
  'POST /api/agents/git-repos/:id/sync',
  'POST /api/agents/git-repos/:id/toggle',
  'POST /api/models/preview/:name{.+}',
  'PUT /api/agents/git-repos/:id',
  'POST /api/create',
  'POST /api/models/uploads',
  'PUT /api/models/uploads/:id',
  'DELETE /api/models/uploads/:id',
  'POST /api/models/vram-estimate',
  'POST /api/push',
  'POST /api/router/decide',
  'POST /api/score',
  'POST /backends/upgrades/check',
]

/** Routes of accounts that anybody may use, and that leave an entry. */
const OF_ACCOUNTS = [
  'DELETE /api/auth/api-keys/:id',
  'DELETE /api/auth/sessions',
  'PATCH /api/auth/api-keys/:id',
  'POST /api/auth/api-keys',
  'POST /api/auth/api-keys/:id/rotate',
  'PUT /api/auth/password',
  'PUT /api/auth/profile',
]

describe('the route table', () => {
  verifies('events:changes:every-route', 'names the change of every route for admins that writes, or a reason', () => {
    const writing = server.server.routes.filter(({ method, access }) => method !== 'GET' && access === 'admin')
    expect(writing.filter(({ audit }) => audit === undefined).map(nameRoute)).toEqual([])
    const without = writing.filter(({ audit }) => audit !== undefined && 'unrecorded' in audit)
    expect(without.map(nameRoute).sort()).toEqual([...UNRECORDED].sort())
    for (const { audit } of without) expect(audit).toMatchObject({ unrecorded: expect.stringMatching(/^\w+ .* \w+$/) })
    const others = server.server.routes.filter((route) => findChange(route) && route.access !== 'admin')
    expect(others.map(nameRoute).sort()).toEqual([...OF_ACCOUNTS].sort())
    expect(writing.length - without.length).toBeGreaterThan(45)
  })

  it('names changes by an area and a verb, and targets by names of the path', () => {
    for (const route of server.server.routes) {
      const audited = findChange(route)
      if (audited === undefined) continue
      expect(audited.change, nameRoute(route)).toMatch(/^[a-z]+\.[a-z]+(-[a-z]+)*$/)
      if (audited.target !== undefined)
        expect(route.path, nameRoute(route)).toMatch(new RegExp(`:${audited.target}\\b`))
    }
  })
})

describe('a call of a route that writes', () => {
  it('leaves an entry, under every address of the route, before its reply', async () => {
    const made: (MadeChange & { readonly path: string; readonly replied: boolean })[] = []
    const rows = server.server.routes.filter((route) => findChange(route) !== undefined)
    const routes = rows.map((row) => ({ ...row, handler: () => new HttpReply('{}') }))
    await using app = await startTestApp(routes, {
      authenticator: createPeople(),
      recordChange: async ({ path, outgoing }, change) => {
        made.push({ ...change, path, replied: outgoing.headersSent })
      },
    })
    for (const row of rows) {
      for (const pattern of listPaths(row)) {
        made.length = 0
        const path = toPath(pattern)
        const reply = await app.call(path, { method: row.method, headers: asRoot })
        expect(reply.status, path).toBe(200)
        const audited = findChange(row)
        const target = audited?.target === undefined ? {} : { target: `the-${audited.target}` }
        expect(made, path).toEqual([{ change: audited?.change, outcome: 'done', ...target, path, replied: false }])
      }
    }
  })
})

describe('replies behind the gate', () => {
  /** Replies that pages ask for again and again, and that hold no secret and no person. */
  const KEPT = [
    'GET /api/backends/job/:uid',
    'GET /api/failover/chains',
    'GET /api/failover/chains/:name',
    'GET /api/features',
    'GET /api/middleware/status',
    'GET /api/models/:id{.+}/load-status',
    'GET /api/models/job/:uid',
    'GET /api/operations',
    'GET /api/operations/history',
    'GET /api/resources',
    'GET /api/router/cache/stats',
    'GET /api/router/status',
    'GET /backend/monitor',
    'GET /backends/jobs/:uuid',
    'GET /models/jobs',
    'GET /models/jobs/:uuid',
  ]

  const ENDLESS = ['/api/failover/events']

  verifies('service:cache:private', 'are not kept by browsers, nor are those of accounts; errors neither', async () => {
    const kept = server.server.routes.filter(({ revalidated }) => revalidated === true)
    expect(kept.map(nameRoute).sort()).toEqual([...KEPT].sort())
    for (const route of server.server.routes) {
      const isPublic = route.access === 'none' && route.group !== 'account'
      // an answer of a model is a reply to a POST
      if (isPublic || route.usecase !== undefined || ENDLESS.includes(route.path)) continue
      const headers = { ...asRoot, 'content-type': 'application/json' }
      const reply = await server.call(toPath(route.path), { method: route.method, headers, body: '{' })
      const wanted = route.revalidated === true ? 'private, no-cache' : 'no-store'
      expect([nameRoute(route), reply.headers['cache-control']]).toEqual([nameRoute(route), wanted])
      if (route.access === 'none') continue
      const refused = await server.call(toPath(route.path), { method: route.method })
      expect([nameRoute(route), refused.status, refused.headers['cache-control']]).toEqual([
        nameRoute(route),
        401,
        wanted,
      ])
    }
  })
})
