import { type Auth, createAuth } from '@svc/auth'
import { FEATURES, ROUTE_GROUPS, routeGroup } from '@svc/auth/access'
import { createMemoryStores } from '@svc/auth/memory'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { HttpReply } from '../../src/http/http-reply.ts'
import type { Route } from '../../src/http/route.ts'
import { listPaths, type RouteInfo } from '../../src/http/route-info.ts'
import { PASSWORD } from '../support/accounts-world.ts'
import { AUDIENCES } from '../support/audiences.ts'
import { startTestServer, type TestServer } from '../support/server.ts'
import { startTestApp, type TestApp } from '../support/test-app.ts'
import { verifies } from './verifies.ts'

const SHARED = 'shared-key-of-everybody'
const { signal } = new AbortController()

let server: TestServer
beforeAll(async () => {
  server = await startTestServer({ flags: ['--auth-enabled', `--api-keys=${SHARED}`, '--auth-rate-limit=0'] })
})
afterAll(() => server.close())

/** Every route of the route table under each of its patterns. */
const listRoutes = (): (readonly [name: string, route: RouteInfo])[] =>
  server.server.routes.flatMap((route) => listPaths(route).map((path) => [`${route.method} ${path}`, route] as const))

const AUDIENCE_OF = new Map(
  Object.entries(AUDIENCES).flatMap(([audience, routes]) => routes.map((route) => [route, audience] as const)),
)

/** A request of a route. */
function split(route: string): { readonly method: string; readonly path: string } {
  const [method = '', pattern = ''] = route.split(' ')
  return { method, path: pattern.replace(/:\w+(?:\{[^}]*\})?/g, 'x').replace('*', 'y') }
}

it('every route has an audience, and every audience a route', () => {
  const routes = listRoutes().map(([route]) => route)
  expect(routes.filter((route) => !AUDIENCE_OF.has(route))).toEqual([])
  expect([...AUDIENCE_OF.keys()].filter((route) => !routes.includes(route))).toEqual([])
  expect(routes.filter((route, index) => routes.indexOf(route) !== index)).toEqual([])
})

it('every route is in a group that scopes of keys can name', () => {
  expect(listRoutes().filter(([, route]) => !ROUTE_GROUPS.includes(routeGroup(route)))).toEqual([])
})

it('every inference route hangs on a feature switch', () => {
  const isInference = ({ usecase, access }: RouteInfo): boolean => access !== 'admin' && usecase !== undefined
  const missing = listRoutes().filter(([, route]) => isInference(route) && route.feature === undefined)
  expect(missing.map(([route]) => route)).toEqual([])
  expect(listRoutes().filter(([, route]) => isInference(route)).length).toBeGreaterThan(50)
})

describe('nobody', () => {
  it('gets 401 from every route that is not public', async () => {
    for (const [route, audience] of AUDIENCE_OF) {
      const { method, path } = split(route)
      const reply = await server.call(path, { method })
      if (audience === 'public') expect(reply.status, route).not.toBe(401)
      else expect([reply.status, reply.headers['www-authenticate']], route).toEqual([401, 'Bearer'])
    }
  })

  it('reaches nothing by the look of a public path, by another method or by another spelling', async () => {
    for (const path of [
      '/apple',
      '/app-config',
      '/swaggerish',
      '/assetsx',
      '/api/instructionsx',
      '/invite',
      '/loginx',
      '/healthz/x',
      '/api/auth/statusx',
      '/api/auth/admin',
      '/api/branding/x',
      '/.well-known',
    ])
      expect([401, 404, 405], path).toContain((await server.call(path)).status)
    for (const path of ['/api/auth/status', '/login', '/api/branding', '/swagger'])
      expect((await server.call(path, { method: 'HEAD' })).status, path).toBe(401)
    for (const path of ['/', '/healthz', '/readyz'])
      expect((await server.call(path, { method: 'HEAD' })).status, path).toBe(200)
    expect((await server.call('/system', { method: 'OPTIONS' })).status).toBe(204)
    for (const path of [
      '/healthz/../system',
      '/app/../system',
      '/app/..%2fsystem',
      '//system',
      '/./system',
      '/system/',
      '/system?',
      '/%73ystem',
      '/SYSTEM',
      '/system;x',
      '/system%00',
      '/app%2f..%2fsystem',
      '/api/auth/status/../me',
      '/api/auth/admin/users/',
      '/api//auth/admin/users',
    ]) {
      const reply = await server.call(path)
      expect(reply.text, path).not.toMatch(/loaded_models|"users"/)
      // /app/* is a page, whatever comes after the prefix
      if (!path.startsWith('/app')) expect([400, 401, 404], path).toContain(reply.status)
    }
  })
})

/** The rights of a caller, by the audience of a route. */
type Verdict = (audience: string) => 200 | 403

const OFF_BY_DEFAULT: ReadonlySet<string> = new Set(FEATURES.filter((row) => !row.default).map(({ key }) => key))
const IS_FEATURE: ReadonlySet<string> = new Set(FEATURES.map(({ key }) => key))

const VERDICTS: Readonly<Record<string, Verdict>> = {
  user: (audience) => (audience === 'admin' || OFF_BY_DEFAULT.has(audience) ? 403 : 200),
  'user without features': (audience) => (audience === 'admin' || IS_FEATURE.has(audience) ? 403 : 200),
  'narrow key': (audience) => (audience === 'public' || audience === 'tokenize' ? 200 : 403),
  'narrow key of an admin': (audience) => (audience === 'public' || audience === 'tokenize' ? 200 : 403),
  admin: () => 200,
  'shared key': () => 200,
}

/** The five ways in which a credential comes (§5.1). */
const CARRIERS: Readonly<Record<string, (key: string, session: string) => Record<string, string>>> = {
  bearer: (key) => ({ authorization: `Bearer ${key}` }),
  'x-api-key': (key) => ({ 'x-api-key': key }),
  'xi-api-key': (key) => ({ 'xi-api-key': key }),
  'token cookie': (key) => ({ cookie: `token=${key}` }),
  'session cookie': (_, session) => ({ cookie: `session=${session}` }),
}

async function createCallers(auth: Auth): Promise<Readonly<Record<string, { key: string; session: string }>>> {
  const register = async (name: string) => {
    const registered = await auth.accounts.register({ email: `${name}@site.example`, password: PASSWORD }, { signal })
    if (registered.kind !== 'active') throw new Error('the account is not active')
    return registered.user
  }
  const [admin, user, bare] = [await register('admin'), await register('user'), await register('bare')]
  const off = Object.fromEntries(FEATURES.map(({ key }) => [key, false]))
  await auth.accounts.setFeatures(bare.id, off, { signal })
  const scopes = { routes: ['tokenize'] }
  const createKey = async (owner: typeof admin, draft: object = {}) =>
    (await auth.apiKeys.createFor(owner, { name: 'a key', ...draft }, { signal })).value
  const keys = {
    user: await createKey(user),
    'user without features': await createKey(bare),
    'narrow key': await createKey(user, { scopes }),
    'narrow key of an admin': await createKey(admin, { scopes }),
    admin: await createKey(admin),
    'shared key': SHARED,
  }
  const callers: Record<string, { key: string; session: string }> = {}
  for (const [name, key] of Object.entries(keys)) {
    const found = await auth.authenticator.verify({ carrier: 'bearer', value: key }, { signal })
    if (found === undefined) throw new Error(`${name} is nobody`)
    callers[name] = { key, session: (await auth.sessions.exchange(found, { signal })).token }
  }
  return callers
}

describe('a caller', () => {
  let auth: Auth
  let app: TestApp
  let callers: Awaited<ReturnType<typeof createCallers>>
  beforeAll(async () => {
    auth = createAuth({
      stores: createMemoryStores(),
      secret: 'the secret of a server in a test',
      registrationMode: 'open',
      sharedKeys: [SHARED],
    })
    callers = await createCallers(auth)
    // the routes behind the real gate; their handlers would change the accounts that ask
    const served = server.server.routes.map((route): Route => ({ ...route, handler: () => new HttpReply(null) }))
    app = await startTestApp(served, { authenticator: auth.authenticator })
  })
  afterAll(async () => {
    await app[Symbol.asyncDispose]()
    await auth.close()
  })

  async function expectVerdicts(name: string, headers: Record<string, string>): Promise<void> {
    const wrong: string[] = []
    for (const [route, audience] of AUDIENCE_OF) {
      const { method, path } = split(route)
      const { status } = await app.call(path, { method, headers })
      const verdict = VERDICTS[name]?.(audience)
      if (status !== verdict) wrong.push(`${route}: ${status} instead of ${verdict}`)
    }
    expect(wrong).toEqual([])
  }

  const cases = Object.keys(VERDICTS).flatMap((name) => Object.keys(CARRIERS).map((carrier) => ({ name, carrier })))
  it.each(cases)('$name with $carrier gets what each route says', async ({ name, carrier }) => {
    const { key, session } = callers[name] ?? { key: '', session: '' }
    await expectVerdicts(name, CARRIERS[carrier]?.(key, session) ?? {})
  })

  verifies(
    ['access:admin:everything', 'access:user:inference', 'access:user:version'],
    'may use what the list of roles names for users, and everything as an admin',
    async () => {
      for (const route of [
        'GET /version',
        'GET /api/features',
        'GET /api/cors-proxy',
        'POST /stores/*',
        'GET /api/auth/usage',
        'POST /v1/chat/completions',
      ]) {
        const { method, path } = split(route)
        const headers = { authorization: `Bearer ${callers.user?.key}` }
        expect([200, 404], route).toContain((await app.call(path, { method, headers })).status)
      }
      await expectVerdicts('admin', { authorization: `Bearer ${callers.admin?.key}` })
    },
  )
})
