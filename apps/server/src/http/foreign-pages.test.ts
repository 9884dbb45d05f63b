import { createDeferred } from '@svc/test-kit'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { WebSocket } from 'ws'
import { startTestApp, type TestApp } from '../../test/support/test-app.ts'
import { json } from './json.ts'
import type { Route } from './route.ts'
import { upgradeRequired } from './websocket.ts'

const shared = { access: 'any', family: 'compatible', tag: 'test', summary: '' } as const
const ROUTES: readonly Route[] = [
  { ...shared, method: 'GET', path: '/read', handler: () => json({ ok: true }) },
  { ...shared, method: 'POST', path: '/write', handler: () => json({ ok: true }) },
  { ...shared, method: 'POST', path: '/public', access: 'none', handler: () => json({ ok: true }) },
  {
    ...shared,
    method: 'GET',
    path: '/socket',
    socket: { protocols: [] },
    handler: (call) => {
      throw upgradeRequired(call)
    },
    serveSocket: async () => undefined,
  },
]

/** Origins of pages that are not of the server, which listens on a port of 127.0.0.1. */
const FOREIGN = [
  'http://127.evil.test',
  'http://127.0.0.1.evil.test:8080',
  'http://127.0.0.evil.test',
  'http://127.example.com:3000',
  'http://127.',
  'http://127.0.0.256',
  'http://localhost.evil.test',
  'http://evil.localhost.test',
  'http://notlocalhost:8080',
  'http://127.1:1',
  'http://127.0.0.1.:1',
  'http://2130706433:1',
  'http://0x7f.1:1',
  'http://0x7f000001:1',
  'http://0177.0.0.1:1',
  'http://017700000001:1',
  'http://\u{1d7cf}27.0.0.1:1',
  'http://127\u30020\u30020\u30021:1',
  'http://xn--lcalhost-54a:1',
  'http://l\u043ecalhost:1',
  'http://localhost:1',
  'http://localhost.:1',
  'http://LOCALHOST:1',
  'http://app.localhost:1',
  'http://127.0.0.1:1',
  'http://127.0.0.2:1',
  'http://127.255.255.254',
  'http://[::1]:1',
  'http://[::ffff:127.0.0.1]:1',
  'http://0.0.0.0:1',
  'https://evil.test',
  'https://127.0.0.1',
  'null',
  'file://',
  'chrome-extension://abcdefghijklmnop',
  'about:blank',
  'not an origin',
]

/** Headers that programs send a key in; a page may send them with any value. */
const HEADERS: readonly (readonly [string, Record<string, string>])[] = [
  ['no header', {}],
  ['x-api-key', { 'x-api-key': 'anything' }],
  ['xi-api-key', { 'xi-api-key': 'anything' }],
  ['a bearer', { authorization: 'Bearer anything' }],
  ['a bare key', { authorization: 'anything' }],
  ['a cookie', { cookie: 'session=anything', 'content-type': 'application/json' }],
]

/** Status of a handshake; 101 for a socket that opened. */
async function shake(app: TestApp, headers: Record<string, string>): Promise<number> {
  const status = createDeferred<number>()
  const socket = new WebSocket(`${app.url.replace('http', 'ws')}/socket`, { headers })
  socket.on('error', () => undefined)
  socket.once('unexpected-response', (_request, reply) => {
    reply.resume()
    status.resolve(reply.statusCode ?? 0)
  })
  socket.once('open', () => status.resolve(101))
  const found = await status.promise
  socket.terminate()
  return found
}

const write = async (app: TestApp, headers: Record<string, string>, path = '/write'): Promise<number> =>
  (await app.call(path, { method: 'POST', body: '{}', headers })).status

const readable = async (app: TestApp, headers: Record<string, string>): Promise<unknown> =>
  (await app.call('/read', { headers })).headers['access-control-allow-origin']

describe('a server without auth', () => {
  let app: TestApp
  beforeAll(async () => {
    app = await startTestApp(ROUTES)
  })
  afterAll(() => app[Symbol.asyncDispose]())

  // verifies access:csrf:cross-site, discovery:cors:own-without-auth, access:csrf:sockets
  it.each(FOREIGN)(
    'gives a page of %s nothing to read, to change or to listen to, whatever it sends',
    async (origin) => {
      // HTTP carries bytes; browsers send the ASCII form of a name
      const said = Buffer.from(origin, 'utf8').toString('latin1')
      for (const [name, headers] of HEADERS) {
        const sent = { ...headers, origin: said }
        expect(await readable(app, sent), name).toBeUndefined()
        expect(await write(app, sent), name).toBe(403)
        expect(await write(app, sent, '/public'), name).toBe(403)
        expect(await shake(app, sent), name).toBe(403)
        const preflight = await app.call('/write', {
          method: 'OPTIONS',
          headers: {
            origin: said,
            'access-control-request-method': 'POST',
            'access-control-request-headers': 'x-api-key',
          },
        })
        expect(preflight.headers['access-control-allow-origin'], name).toBeUndefined()
      }
    },
  )

  it('gives a page that opens an own address by another port no right of that address', async () => {
    const { port } = new URL(app.url)
    for (const origin of [`http://localhost:${port}`, `http://[::1]:${port}`, `http://127.0.0.2:${port}`]) {
      expect(await write(app, { origin }), origin).toBe(403)
      expect(await write(app, { origin: `http://evil.test@127.0.0.1:${port}` })).toBe(403)
      expect(await shake(app, { origin }), origin).toBe(403)
    }
  })

  // verifies access:csrf:same-site-without-origin
  it('believes a browser that says another page asks, also without an origin', async () => {
    for (const site of ['cross-site', 'same-site'])
      for (const [name, headers] of HEADERS)
        expect(await write(app, { ...headers, 'sec-fetch-site': site }), `${site} ${name}`).toBe(403)
    expect(await write(app, { origin: app.url, 'sec-fetch-site': 'cross-site' })).toBe(403)
    for (const site of ['same-origin', 'none']) expect(await write(app, { 'sec-fetch-site': site }), site).toBe(200)
  })

  it('serves its own pages', async () => {
    expect(await readable(app, { origin: app.url })).toBe(app.url)
    expect(await write(app, { origin: app.url, 'sec-fetch-site': 'same-origin' })).toBe(200)
    expect(await shake(app, { origin: app.url })).toBe(101)
    const localhost = { host: 'localhost:8080', origin: 'http://localhost:8080' }
    expect(await write(app, localhost)).toBe(200)
  })

  // verifies access:csrf:programs
  it('serves programs, with and without a key that it does not need, whatever type their bodies have', async () => {
    for (const [name, headers] of HEADERS)
      for (const type of ['application/json', 'application/x-www-form-urlencoded', 'text/plain'])
        if (name !== 'a cookie')
          expect(await write(app, { ...headers, 'content-type': type }), `${name} ${type}`).toBe(200)
    expect(await write(app, { 'sec-fetch-mode': 'cors', authorization: 'Bearer sk-none' })).toBe(200)
    expect(await shake(app, { authorization: 'Bearer sk-none' })).toBe(101)
  })

  // verifies discovery:cors:embedding
  it('lets no other page embed a reply', async () => {
    const reply = await app.call('/read')
    expect(reply.headers['cross-origin-resource-policy']).toBe('same-origin')
  })
})

describe('a server without auth that lists pages', () => {
  // verifies discovery:cors:list
  it('serves these pages in full, in any spelling of the list, and no others', async () => {
    await using app = await startTestApp(ROUTES, { allowOrigins: 'http://Localhost:3000/, chrome-extension://abc' })
    for (const origin of ['http://localhost:3000', 'chrome-extension://abc']) {
      expect(await readable(app, { origin })).toBe(origin)
      expect(await write(app, { origin, 'sec-fetch-site': 'cross-site' })).toBe(200)
      expect(await shake(app, { origin })).toBe(101)
    }
    for (const origin of ['http://localhost:3001', 'https://localhost:3000', 'chrome-extension://abcd', 'null']) {
      expect(await readable(app, { origin }), origin).toBeUndefined()
      expect(await write(app, { origin, 'x-api-key': 'k' }), origin).toBe(403)
      expect(await shake(app, { origin }), origin).toBe(403)
    }
    expect(await write(app, { origin: app.url })).toBe(200)
    expect((await app.call('/read')).headers).not.toHaveProperty('cross-origin-resource-policy')
  })

  // verifies discovery:cors:every-page-without-auth
  it('serves every page where the operator says so', async () => {
    await using app = await startTestApp(ROUTES, { allowOrigins: '*' })
    expect(await readable(app, { origin: 'https://app.test' })).toBe('*')
    expect(await write(app, { origin: 'https://app.test', 'sec-fetch-site': 'cross-site' })).toBe(200)
    expect(await shake(app, { origin: 'https://app.test' })).toBe(101)
  })
})

describe('a server with auth', () => {
  let app: TestApp
  beforeAll(async () => {
    app = await startTestApp(ROUTES, { keys: ['k'], pathWithoutAuth: ['/write'] })
  })
  afterAll(() => app[Symbol.asyncDispose]())

  // verifies access:csrf:let-in-by-header
  it('exempts a call whose header let it in', async () => {
    const elsewhere = { origin: 'https://evil.test', 'sec-fetch-site': 'cross-site' }
    for (const [path, expected] of [
      ['/write', 200],
      ['/public', 200],
    ] as const)
      for (const headers of [{ 'x-api-key': 'k' }, { 'xi-api-key': 'k' }, { authorization: 'Bearer k' }])
        expect(await write(app, { ...headers, ...elsewhere }, path), JSON.stringify(headers)).toBe(expected)
    expect(await shake(app, { ...elsewhere, authorization: 'Bearer k' })).toBe(101)
  })

  it('does not exempt a call that came in by another way, whatever header it has', async () => {
    const elsewhere = { origin: 'https://evil.test' }
    for (const path of ['/write', '/public'])
      for (const [name, headers] of HEADERS)
        expect(await write(app, { ...headers, ...elsewhere }, path), name).toBe(403)
    const cookie = { cookie: 'token=k', 'content-type': 'application/json' }
    expect(await write(app, { ...cookie, ...elsewhere })).toBe(403)
    expect(await write(app, { ...cookie, origin: app.url })).toBe(200)
    expect(await shake(app, { ...cookie, ...elsewhere })).toBe(403)
  })

  it('does not believe every page where every page may read', async () => {
    await using open = await startTestApp(ROUTES, { keys: ['k'], allowOrigins: '*' })
    const cookie = { cookie: 'token=k', 'content-type': 'application/json' }
    expect(await write(open, { ...cookie, origin: 'https://app.test' })).toBe(403)
    expect(await write(open, { 'x-api-key': 'k', origin: 'https://app.test' })).toBe(200)
  })
})
