import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { SvcError } from '@svc/errors'
import { describe, expect, it } from 'vitest'
import { rawCall, startTestApp } from '../../test/support/test-app.ts'
import { json } from './json.ts'
import { trustedProxies } from './middleware/client-address.ts'
import { defineRoute, type Route } from './route.ts'
import type { Access } from './route-info.ts'

const route = (path: string, access: Access, extra: Partial<Route> = {}): Route =>
  defineRoute({
    method: 'GET',
    path,
    access,
    family: 'compatible',
    tag: 'test',
    summary: 'test',
    handler: (call) => json({ principal: call.principal.kind, id: call.param('id') }),
    ...extra,
  })

describe('unmatched requests', () => {
  // verifies errors:unmatched:not-found, errors:unmatched:message
  it('are 404 in the envelope, with the specified text', async () => {
    await using app = await startTestApp([route('/a', 'any')])
    const reply = await app.call('/nothing/here')
    expect(reply.status).toBe(404)
    expect(reply.json()).toEqual({ error: { code: 404, message: 'Resource not found', type: '', param: null } })
  })

  // verifies errors:status:method
  it('are 405 with Allow where the path has another method', async () => {
    await using app = await startTestApp([route('/a/:id', 'any')])
    const reply = await app.call('/a/7', { method: 'DELETE' })
    expect(reply.status).toBe(405)
    expect(reply.headers.allow).toBe('GET, HEAD, OPTIONS')
  })

  it('add no metric series of their own path', async () => {
    await using app = await startTestApp([])
    for (let index = 0; index < 20; index += 1) await app.call(`/random-${index}`)
    const text = await (await app.metrics.registry()).metrics()
    expect(text).not.toContain('random-')
    expect(text).toContain('api_call_count{method="GET",path="unmatched"} 20')
  })
})

describe('matched requests', () => {
  it('answer HEAD where GET is, without a body', async () => {
    await using app = await startTestApp([route('/a', 'any')])
    const reply = await app.call('/a', { method: 'HEAD' })
    expect(reply.status).toBe(200)
    expect(reply.body.length).toBe(0)
  })

  it('match with a trailing slash and decode parameters once', async () => {
    await using app = await startTestApp([route('/a/:id', 'any')])
    expect((await app.call('/a/x%2Fy/')).json()).toEqual({ principal: 'local', id: 'x/y' })
  })

  // verifies flags:machine-tag:header
  it('carry security headers, one correlation id under its three names, and the machine tag', async () => {
    await using app = await startTestApp([route('/a', 'any')], { machineTag: 'rack-7' })
    for (const path of ['/a', '/missing']) {
      const { headers } = await app.call(path, { headers: { 'x-correlation-id': 'abc.1' } })
      expect(headers['x-content-type-options']).toBe('nosniff')
      expect(headers['content-security-policy']).toContain("frame-ancestors 'none'")
      expect([headers['x-correlation-id'], headers['x-request-id'], headers['request-id']]).toEqual([
        'abc.1',
        'abc.1',
        'abc.1',
      ])
      expect(headers['machine-tag']).toBe('rack-7')
    }
  })

  it('that browsers keep have an entity tag, and answer 304 without a body while nothing has changed', async () => {
    let value = 1
    const polled = route('/polled', 'any', {
      revalidated: true,
      handler: () => json({ value }, { headers: { 'x-total-count': '1' } }),
    })
    await using app = await startTestApp([polled, route('/a', 'any'), route('/open', 'none', { quiet: true })])
    const ask = (tag: string) => app.call('/polled', { headers: { 'if-none-match': tag } })
    const first = await app.call('/polled')
    const tag = String(first.headers.etag)
    expect(tag).toMatch(/^W\/"[\w-]{22}"$/)
    for (const known of [tag, tag.slice(2), `"x", ${tag}`, '*']) {
      const again = await ask(known)
      expect([again.status, again.body.length, again.headers.etag]).toEqual([304, 0, tag])
      expect(again.headers['x-total-count']).toBe('1')
    }
    value = 2
    const changed = await ask(tag)
    expect([changed.status, changed.json()]).toEqual([200, { value: 2 }])
    expect(changed.headers.etag).not.toBe(tag)
    expect((await app.call('/a')).headers.etag).toBeUndefined()
    expect((await app.call('/open')).headers.etag).toBeUndefined()
  })

  it('LOG-1: replace a malformed correlation id', async () => {
    await using app = await startTestApp([route('/a', 'any')])
    for (const bad of ['a b', 'x'.repeat(129), 'ä', '{"a":1}']) {
      const reply = await app.call('/a', { headers: { 'x-correlation-id': Buffer.from(bad).toString('latin1') } })
      expect(reply.headers['x-correlation-id']).toMatch(/^[0-9a-f-]{36}$/)
    }
  })

  it('turn a thrown SvcError into status, Retry-After and envelope of the family', async () => {
    const busy = route('/busy', 'any', {
      family: 'messages',
      handler: () => {
        throw new SvcError('rate_limited', 'full', { retryAfterMs: 1500 })
      },
    })
    await using app = await startTestApp([busy])
    const reply = await app.call('/busy')
    expect(reply.status).toBe(429)
    expect(reply.headers['retry-after']).toBe('2')
    expect(reply.json()).toEqual({ type: 'error', error: { type: 'rate_limit_error', message: 'full' } })
  })

  // verifies errors:unexpected:hidden, version:route:failure
  it('turn an unexpected throw into a fixed sentence, the cause in the log only', async () => {
    const broken = route('/broken', 'any', {
      handler: () => {
        throw new Error('secret path /root/x')
      },
    })
    await using app = await startTestApp([broken])
    const reply = await app.call('/broken')
    expect(reply.status).toBe(500)
    expect(reply.json()).toEqual({
      error: { code: 500, message: 'internal server error', type: 'server_error', param: null },
    })
    expect(app.logLines.join('')).toContain('secret path')
  })

  // verifies errors:opaque:empty-body
  it('have an empty body with --opaque-errors, status and needed headers kept', async () => {
    await using app = await startTestApp([route('/a', 'any')], { opaqueErrors: true, keys: ['k'] })
    const refused = await app.call('/a')
    expect([refused.status, refused.text, refused.headers['www-authenticate']]).toEqual([401, '', 'Bearer'])
    expect((await app.call('/missing')).text).toBe('')
  })
})

describe('the gate', () => {
  const routes = [route('/open', 'none'), route('/user', 'any'), route('/admin', 'admin')]

  // verifies service:open:nothing-configured
  it('restricts nothing while no auth is configured', async () => {
    await using app = await startTestApp(routes)
    for (const path of ['/open', '/user', '/admin'])
      expect((await app.call(path)).json()).toMatchObject({ principal: 'local' })
  })

  // verifies errors:credentials:status, errors:credentials:message, errors:credentials:type, errors:credentials:header
  it('asks for a key with the specified refusal, but not on anonymous routes', async () => {
    await using app = await startTestApp(routes, { keys: ['one', 'two'] })
    expect((await app.call('/open')).json()).toMatchObject({ principal: 'anonymous' })
    for (const headers of [
      {},
      { authorization: 'Bearer wrong' },
      { authorization: 'Basic one' },
      { 'x-api-key': '' },
    ]) {
      const reply = await app.call('/user', { headers })
      expect(reply.status).toBe(401)
      expect(reply.headers['www-authenticate']).toBe('Bearer')
      expect(reply.json()).toEqual({
        error: {
          code: 401,
          message: 'An authentication key is required',
          type: 'invalid_request_error',
          param: null,
          detail: 'Incorrect API key provided',
        },
      })
    }
  })

  // verifies auth:carriers:bearer, auth:carriers:x-api-key, auth:carriers:xi-api-key, auth:carriers:token-cookie
  // verifies legacy-key:access:admin
  it('takes every carrier of a shared key, as admin', async () => {
    await using app = await startTestApp(routes, { keys: ['one', 'two'] })
    const carriers: Record<string, string>[] = [
      { authorization: 'Bearer two' },
      { authorization: 'bearer two' },
      { authorization: 'two' },
      { 'x-api-key': 'two' },
      { 'xi-api-key': 'two' },
      { cookie: 'a=b; token=two' },
    ]
    for (const headers of carriers)
      expect((await app.call('/admin', { headers })).json()).toMatchObject({ principal: 'legacy' })
  })

  it('lets the first carrier present decide', async () => {
    await using app = await startTestApp(routes, { keys: ['good'] })
    const reply = await app.call('/user', { headers: { authorization: 'Bearer bad', 'x-api-key': 'good' } })
    expect(reply.status).toBe(401)
  })

  it('follows a change of keys on the next request', async () => {
    await using app = await startTestApp(routes, { keys: ['old'] })
    app.sharedKeys.replace(['new'])
    expect((await app.call('/user', { headers: { 'x-api-key': 'old' } })).status).toBe(401)
    expect((await app.call('/user', { headers: { 'x-api-key': 'new' } })).status).toBe(200)
    app.sharedKeys.replace([])
    expect((await app.call('/admin')).status).toBe(200)
  })

  // verifies gate:path-without-auth:route-keeps
  it('opens path prefixes for the global gate only: an admin route keeps asking', async () => {
    await using app = await startTestApp(routes, { keys: ['k'], pathWithoutAuth: ['/user', '/admin'] })
    expect((await app.call('/user')).status).toBe(200)
    expect((await app.call('/admin')).status).toBe(401)
  })

  it('checks the host name of changes that an opened prefix lets in, as without auth', async () => {
    const routes = [
      route('/open', 'any', { method: 'POST' }),
      route('/open', 'any'),
      route('/kept', 'any', { method: 'POST' }),
    ]
    await using app = await startTestApp(routes, {
      keys: ['k'],
      pathWithoutAuth: ['/open'],
      allowedHosts: ['named.example'],
    })
    const status = async (method: string, path: string, host: string, key?: string) =>
      (await app.call(path, { method, headers: { host, ...(key === undefined ? {} : { 'x-api-key': key }) } })).status
    for (const host of ['rebound.example', '127.0.0.1.example', 'localhost.example:8080', '127.example']) {
      expect([host, await status('POST', '/open', host)]).toEqual([host, 421])
      expect([host, await status('GET', '/open', host)]).toEqual([host, 200])
      expect([host, await status('POST', '/open', host, 'k')]).toEqual([host, 200])
      expect([host, await status('POST', '/kept', host)]).toEqual([host, 401])
    }
    for (const host of ['localhost', '127.0.0.1:80', '[::1]:80', 'named.example:8080']) {
      expect([host, await status('POST', '/open', host)]).toEqual([host, 200])
    }
  })

  it.each(['[::ffff:127.0.0.1]', '[::FFFF:7f00:1]:8080', '127.1', '0x7f.0.0.1', '[::1', 'a b', 'b\u00fccher.example'])(
    'answers in the form of errors to Host: %s',
    async (host) => {
      await using app = await startTestApp(routes, {})
      for (const path of ['/user', '/file/a%2Fb', '/none']) {
        const { hostname, port } = new URL(app.url)
        const socket = connect(Number(port), hostname)
        socket.end(`GET ${path} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`, 'latin1')
        const [head = '', body = ''] = (await text(socket)).split('\r\n\r\n')
        const status = Number(head.split(' ')[1])
        if (status >= 400) expect([host, path, body]).toEqual([host, path, expect.stringMatching(/"error":/)])
      }
    },
  )

  it('IN-13: opens path prefixes by the path that is executed, at the end of a segment', async () => {
    const post = (path: string) => route(path, 'any', { method: 'POST' })
    const routes = [post('/v1/chat'), post('/v1/chats'), route('/public/:file', 'any'), post('/public')]
    await using app = await startTestApp(routes, { keys: ['k'], pathWithoutAuth: ['/public', '/v1/chat'] })
    const status = async (method: string, path: string) => (await app.call(path, { method })).status
    for (const [method, path] of [
      ['POST', '/public'],
      ['POST', '/public?x=1'],
      ['GET', '/public/a'],
      ['GET', '/v1/../public/a'],
      ['POST', '/v1/chat'],
      ['POST', '/v1/chat/'],
    ] as const) {
      expect(await status(method, path), path).toBe(200)
    }
    for (const path of [
      '/public/../v1/chats',
      '/public/%2e%2e/v1/chats',
      '/public/.%2E/v1/chats',
      '/v1/chats',
      '/v1/chats?/public',
      '/v1/chat/../chats',
      '/v1/chats/../chats',
    ]) {
      expect(await status('POST', path), path).toBe(401)
    }
    // An absolute form of the target is the path in it.
    expect(await status('POST', 'http://x/public/../v1/chats')).toBe(401)
  })

  // verifies gate:get-exempt:matches
  it('matches GET exemptions on the route pattern, never on the typed path', async () => {
    await using app = await startTestApp([route('/x/:id', 'any'), route('/y/:id', 'any')], {
      keys: ['k'],
      isExempt: (pattern) => pattern.startsWith('/x/'),
    })
    expect((await app.call('/x/1')).status).toBe(200)
    expect((await app.call('/y/x')).status).toBe(401)
  })

  it('IN-13: gives no spelling of a path another verdict', async () => {
    await using app = await startTestApp(routes, { keys: ['k'] })
    const spellings = [
      '//admin',
      '/admin%2F',
      '/admin;/x',
      '/Admin',
      '/./admin',
      '/a/../admin',
      '/%61dmin',
      '/admin%00',
      '/admin//',
      '/admin?x=/open',
      '/open/../admin',
    ]
    for (const path of spellings) expect([401, 404], path).toContain((await app.call(path)).status)
  })
})

describe('IN-15: pages of other origins', () => {
  const routes = [route('/a', 'any'), route('/change', 'any', { method: 'POST' })]

  // verifies auth:host:no-auth
  it('cannot reach a server without auth by a name that rebinds', async () => {
    await using app = await startTestApp(routes, { allowedHosts: ['models.lan'] })
    for (const host of ['evil.test', 'evil.test:8080', 'localhost.evil.test']) {
      expect((await app.call('/a', { headers: { host } })).status, host).toBe(421)
    }
    for (const host of ['127.0.0.1', '[::1]:8080', 'localhost', 'LOCALHOST:1', 'models.lan:8080', '192.168.1.5']) {
      expect((await app.call('/a', { headers: { host } })).status, host).toBe(200)
    }
  })

  // verifies auth:host:with-auth
  it('are served by any name once auth is configured', async () => {
    await using app = await startTestApp(routes, { keys: ['k'] })
    expect((await app.call('/a', { headers: { host: 'models.example', 'x-api-key': 'k' } })).status).toBe(200)
  })

  it('change nothing from a foreign page of the same site', async () => {
    await using app = await startTestApp(routes, { keys: ['k'] })
    const status = async (headers: Record<string, string>) =>
      (await app.call('/change', { method: 'POST', headers: { cookie: 'token=k', ...headers } })).status
    const { host } = new URL(app.url)
    for (const site of [undefined, 'same-site', 'same-origin', 'none', 'cross-site']) {
      const said: Record<string, string> = site === undefined ? {} : { 'sec-fetch-site': site }
      expect(await status({ ...said, origin: `https://other.${host}` }), site).toBe(403)
      expect(await status({ ...said, origin: 'null' }), site).toBe(403)
      expect(await status({ ...said, origin: `http://${host}` }), site).toBe(site === 'cross-site' ? 403 : 200)
    }
    expect(await status({ 'sec-fetch-site': 'same-site' })).toBe(403)
    expect(await status({ 'sec-fetch-site': 'none' })).toBe(200)
  })

  it('are those of this server by the address that a trusted proxy tells', async () => {
    await using app = await startTestApp(routes, { keys: ['k'], proxies: trustedProxies(['127.0.0.1']) })
    const headers = { cookie: 'token=k', origin: 'https://models.example', 'x-forwarded-host': 'models.example' }
    expect((await app.call('/change', { method: 'POST', headers })).status).toBe(200)
    const foreign = { ...headers, origin: 'https://evil.test' }
    expect((await app.call('/change', { method: 'POST', headers: foreign })).status).toBe(403)
  })

  it('IN-9: a body that comes with a cookie must say that it is JSON, or a form where a route takes one', async () => {
    const upload = route('/upload', 'any', { method: 'POST', form: true })
    await using app = await startTestApp([...routes, upload], { keys: ['k'] })
    const post = (headers: Record<string, string>) => app.call('/change', { method: 'POST', body: '{}', headers })
    for (const type of ['text/plain', 'application/x-www-form-urlencoded', '']) {
      const headers = type === '' ? {} : { 'content-type': type }
      expect((await post({ ...headers, cookie: 'token=k' })).status, type).toBe(415)
      expect((await post({ ...headers, authorization: 'Bearer k' })).status, type).toBe(200)
    }
    for (const type of ['application/json', 'application/json; charset=utf-8']) {
      expect((await post({ 'content-type': type, cookie: 'token=k' })).status, type).toBe(200)
    }
    const form = { 'content-type': 'multipart/form-data; boundary=x', cookie: 'token=k' }
    expect((await post(form)).status).toBe(415)
    expect((await app.call('/upload', { method: 'POST', body: '{}', headers: form })).status).toBe(200)
    expect((await app.call('/change', { method: 'POST', headers: { cookie: 'token=k' } })).status).toBe(200)
  })

  // verifies discovery:cors:open-with-auth, discovery:cors:list
  it('get any origin with auth, and the exact list where one is set', async () => {
    await using open = await startTestApp(routes, { keys: ['k'] })
    expect(
      (await open.call('/a', { headers: { origin: 'https://app.test' } })).headers['access-control-allow-origin'],
    ).toBe('*')
    await using listed = await startTestApp(routes, { keys: ['k'], allowOrigins: 'https://app.test' })
    expect(
      (await listed.call('/a', { headers: { origin: 'https://app.test' } })).headers['access-control-allow-origin'],
    ).toBe('https://app.test')
    expect(
      (await listed.call('/a', { headers: { origin: 'https://other.test' } })).headers['access-control-allow-origin'],
    ).toBeUndefined()
  })

  // verifies discovery:cors:preflight
  it('have their preflight answered on any path, never gated', async () => {
    await using app = await startTestApp(routes, { keys: ['k'] })
    for (const path of ['/a', '/anything']) {
      const reply = await app.call(path, {
        method: 'OPTIONS',
        headers: {
          origin: 'https://app.test',
          'access-control-request-method': 'POST',
          'access-control-request-headers': 'x-api-key',
        },
      })
      expect(reply.status).toBe(204)
      expect(reply.headers['access-control-allow-headers']).toBe('x-api-key')
      expect(reply.headers['access-control-allow-methods']).toContain('POST')
    }
  })
})

describe('IN-12: requests with two meanings', () => {
  it('are refused when the Host header is repeated', async () => {
    await using app = await startTestApp([route('/a', 'any')])
    const reply = await rawCall(
      app.url,
      'GET /a HTTP/1.1\r\nHost: 127.0.0.1\r\nHost: evil.test\r\nConnection: close\r\n\r\n',
    )
    expect(reply).toMatch(/^HTTP\/1\.1 400 /)
  })

  it('end with the connection when the framing is doubtful', async () => {
    await using app = await startTestApp([route('/a', 'any', { method: 'POST' })])
    const head = 'POST /a HTTP/1.1\r\nHost: 127.0.0.1\r\n'
    for (const fields of [
      'Content-Length: 1\r\nTransfer-Encoding: chunked\r\n',
      'Content-Length: 1\r\nContent-Length: 2\r\n',
      'Transfer-Encoding: xchunked\r\n',
    ]) {
      expect(await rawCall(app.url, `${head}${fields}\r\n1\r\na\r\n0\r\n\r\n`)).toMatch(/^HTTP\/1\.1 400 /)
    }
    expect(await rawCall(app.url, 'CONNECT evil.test:443 HTTP/1.1\r\nHost: evil.test:443\r\n\r\n')).toMatch(
      /^HTTP\/1\.1 405 /,
    )
  })
})

describe('compression', () => {
  const text = 'a'.repeat(4000)
  const routes = [
    route('/big', 'any', { handler: () => json({ text }) }),
    route('/small', 'any', { handler: () => json({ text: 'a' }) }),
  ]

  it('applies from the minimum size on, to clients that take gzip', async () => {
    await using app = await startTestApp(routes)
    const big = await app.call('/big', { headers: { 'accept-encoding': 'gzip' } })
    expect(big.headers['content-encoding']).toBe('gzip')
    expect(big.body.length).toBeLessThan(200)
    for (const [path, coding] of [
      ['/small', 'gzip'],
      ['/big', 'br'],
      ['/big', 'gzip;q=0'],
    ] as const) {
      expect(
        (await app.call(path, { headers: { 'accept-encoding': coding } })).headers['content-encoding'],
      ).toBeUndefined()
    }
  })

  // verifies limits:compression:off
  it('is off when switched off', async () => {
    await using app = await startTestApp(routes, { compression: { enabled: false, minLength: 1024 } })
    expect(
      (await app.call('/big', { headers: { 'accept-encoding': 'gzip' } })).headers['content-encoding'],
    ).toBeUndefined()
  })
})

describe('a prefix before the paths of the server', () => {
  const routes = [
    route('/where', 'any', { handler: (call) => json({ base: call.baseUrl }) }),
    route('/', 'any', { handler: (call) => json({ base: call.baseUrl }) }),
    route('/said', 'any', { method: 'POST', handler: (call) => json({ base: call.baseUrl }) }),
  ]
  const proxies = trustedProxies(['127.0.0.1'])
  const said = (prefix: string) => ({ 'x-forwarded-prefix': prefix, 'x-forwarded-host': 'models.example' })

  it('is told by a trusted proxy, which may leave it in the path', async () => {
    await using app = await startTestApp(routes, { proxies })
    const base = 'http://models.example/llm/v2/'
    for (const prefix of ['/llm/v2', '/llm/v2/']) {
      for (const path of ['/where', '/llm/v2/where', '/llm/v2/', '/']) {
        expect((await app.call(path, { headers: said(prefix) })).json(), path).toEqual({ base })
      }
      for (const path of ['/said', '/llm/v2/said?x=1'])
        expect((await app.call(path, { method: 'POST', headers: said(prefix) })).json(), path).toEqual({ base })
    }
    const bare = await app.call('/llm/v2', { headers: said('/llm/v2') })
    expect([bare.status, bare.headers.location]).toEqual([302, '/llm/v2/'])
    expect((await app.call('/llm/v2x/where', { headers: said('/llm/v2') })).status).toBe(404)
  })

  it('is not believed in another form, nor from anybody else', async () => {
    await using app = await startTestApp(routes, { proxies })
    for (const prefix of ['//evil.test', 'llm', '/a\\b', '/a/../b', '/.', '/a"b', '/', 'http://evil.test/', '/a//b']) {
      const reply = await app.call('/where', { headers: said(prefix) })
      expect(reply.json(), prefix).toEqual({ base: 'http://models.example/' })
    }
    await using direct = await startTestApp(routes)
    expect((await direct.call('/where', { headers: said('/llm') })).json()).toEqual({ base: `${direct.url}/` })
    expect((await direct.call('/llm/where', { headers: said('/llm') })).status).toBe(404)
  })

  it('is the path of the base URL', async () => {
    for (const baseUrl of ['https://models.example/llm', 'https://models.example/llm/?x#y']) {
      await using app = await startTestApp(routes, { baseUrl })
      for (const path of ['/where', '/llm/where', '/llm/'])
        expect((await app.call(path)).json(), path).toEqual({ base: 'https://models.example/llm/' })
      expect((await app.call('/llm')).headers.location).toBe('/llm/')
    }
  })

  it('opens nothing: the gate compares what is left', async () => {
    const gated = [route('/v1/models', 'any')]
    await using app = await startTestApp(gated, { proxies, keys: ['k'], pathWithoutAuth: ['/llm'] })
    expect((await app.call('/llm/v1/models', { headers: said('/llm') })).status).toBe(401)
  })
})
