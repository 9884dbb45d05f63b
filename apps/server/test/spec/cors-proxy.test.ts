import { createServer } from 'node:net'
import { startUpstream, type Upstream } from '@svc/test-kit'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createPeople } from '../support/people.ts'
import { startTestServer, type TestServer } from '../support/server.ts'
import type { RawReply } from '../support/test-app.ts'

let upstream: Upstream
let server: TestServer
/** The upstream by its address: names of this machine are refused. */
let origin: string
beforeAll(async () => {
  upstream = await startUpstream()
  origin = `http://127.0.0.1:${upstream.port}`
  server = await startTestServer({ flags: ['--content-url-allow=127.0.0.1'] })
})
afterAll(async () => {
  await server.close()
  await upstream.close()
})

const proxied = (
  url: string,
  options: Parameters<TestServer['call']>[1] = {},
  at: TestServer = server,
): Promise<RawReply> => at.call(`/api/cors-proxy?url=${encodeURIComponent(url)}`, options)

describe('the CORS proxy', () => {
  it('gives the reply of an address, without script, cookies and rights', async () => {
    upstream.replyWith({
      status: 201,
      headers: {
        'content-type': 'text/html; charset=utf-8',
        'set-cookie': 'session=stolen',
        'clear-site-data': '"*"',
        'service-worker-allowed': '/',
        'strict-transport-security': 'max-age=1',
        'access-control-allow-origin': '*',
        'access-control-allow-credentials': 'true',
        'content-security-policy': "script-src 'unsafe-inline'",
        'content-disposition': 'inline',
        'mcp-session-id': 'abc',
        etag: '"1"',
      },
      body: '<script>alert(document.domain)</script>',
    })
    const reply = await proxied(`${origin}/page`)
    expect([reply.status, reply.text]).toEqual([201, '<script>alert(document.domain)</script>'])
    expect(reply.headers).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': "sandbox; default-src 'none'",
      'x-content-type-options': 'nosniff',
      'content-disposition': 'attachment',
      'mcp-session-id': 'abc',
      etag: '"1"',
    })
    for (const name of ['set-cookie', 'clear-site-data', 'service-worker-allowed', 'strict-transport-security'])
      expect(reply.headers, name).not.toHaveProperty(name)
    expect(reply.headers['access-control-allow-credentials']).toBeUndefined()
  })

  it('passes the body and the headers of a POST on, and no credentials', async () => {
    upstream.replyWith({ headers: { 'content-type': 'application/json' }, body: '{"ok":true}' })
    const before = upstream.requests.length
    const reply = await proxied(`${origin}/mcp?a=1`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json',
        'mcp-session-id': 's1',
        'last-event-id': '7',
        authorization: 'Bearer hush',
        cookie: 'session=hush',
        'x-api-key': 'hush',
        'xi-api-key': 'hush',
        'proxy-authorization': 'hush',
        origin: server.url,
        referer: 'http://localhost/app?key=hush',
        'x-forwarded-for': 'hush',
        'x-custom': 'goes on',
      },
      body: '{"ask":1}',
    })
    expect([reply.status, reply.json()]).toEqual([200, { ok: true }])
    const asked = await upstream.request(before)
    expect([asked.method, asked.path, asked.text()]).toEqual(['POST', '/mcp?a=1', '{"ask":1}'])
    expect([asked.header('mcp-session-id'), asked.header('last-event-id')]).toEqual([['s1'], ['7']])
    expect(asked.header('x-custom')).toEqual(['goes on'])
    expect(JSON.stringify(asked.headers)).not.toContain('hush')
    expect(asked.header('origin')).toEqual([])
  })

  it('passes events on as they come', async () => {
    let go = (): void => undefined
    const gate = new Promise<void>((resolve) => {
      go = resolve
    })
    upstream.replyWith({ headers: { 'content-type': 'text/event-stream' }, body: ['data: 1\n\n', gate, 'data: 2\n\n'] })
    const response = await fetch(new URL(`/api/cors-proxy?url=${encodeURIComponent(origin)}`, server.url))
    const reader = response.body?.getReader()
    expect(Buffer.from((await reader?.read())?.value ?? []).toString()).toBe('data: 1\n\n')
    go()
    expect(Buffer.from((await reader?.read())?.value ?? []).toString()).toBe('data: 2\n\n')
    await reader?.cancel()
  })

  it('answers only pages of this server, and programs', async () => {
    upstream.replyWith({ body: 'x' })
    for (const [site, status] of [
      ['same-origin', 200],
      ['same-site', 403],
      ['cross-site', 403],
      ['none', 403],
    ] as const)
      expect((await proxied(origin, { headers: { 'sec-fetch-site': site } })).status, site).toBe(status)
  })

  // verifies access:user:cors-proxy
  it('is for users with the feature, never for nobody', async () => {
    upstream.replyWith({ body: 'x' })
    await using closed = await startTestServer({
      flags: ['--content-url-allow=127.0.0.1'],
      authenticator: createPeople(() => ({ features: new Set(['mcp'] as const) })),
    })
    expect((await proxied(origin, {}, closed)).status).toBe(401)
    expect((await proxied(origin, { headers: { authorization: 'Bearer ada' } }, closed)).status).toBe(200)
  })

  it.each([
    ['', 400, 'url is missing'],
    ['nonsense', 400, 'url is not an http or https address'],
    ['ftp://site.example/x', 400, 'only http and https addresses can be fetched'],
    ['http://user:pass@site.example/', 400, 'the URL must not hold credentials'],
    ['http://no-such-name.invalid/', 400, 'the host name could not be resolved'],
    ['http://localhost/', 403, 'requests to internal hosts are not allowed'],
    ['http://metadata.google.internal/', 403, 'requests to internal hosts are not allowed'],
    ['http://10.0.0.1/', 403, 'requests to private networks are not allowed'],
  ])('refuses %j', async (url, status, error) => {
    const reply = await proxied(url)
    expect([reply.status, reply.json()]).toEqual([status, { error }])
  })

  it('is 502 where nobody answers', async () => {
    const reply = await proxied('http://127.0.0.1:1/')
    expect([reply.status, reply.json()]).toEqual([502, { error: 'the address did not answer' }])
  })
})

describe('private addresses', () => {
  it('are not reached in any spelling, nor by a redirect', async () => {
    await using guarded = await startTestServer()
    let packets = 0
    const canary = createServer((socket) => {
      packets += 1
      socket.destroy()
    })
    const port = await new Promise<number>((resolve) => {
      canary
        .listen(8080, '127.0.0.1', () => resolve(8080))
        .on('error', () => {
          canary.listen(0, '127.0.0.1', () => resolve((canary.address() as { port: number }).port))
        })
    })
    const hosts = [
      ...[
        '127.0.0.1',
        '127.1',
        '127.0.1',
        '2130706433',
        '0x7f000001',
        '0x7f.1',
        '0177.0.0.1',
        '017700000001',
        '0',
        '0.0.0.0',
      ],
      ...[
        '127.255.255.254',
        '127.0.0.1.',
        'localhost',
        'LOCALHOST',
        'localhost.',
        'a.localhost',
        '[::1]',
        '[::]',
        '[::ffff:127.0.0.1]',
      ],
      ...[
        '[::ffff:7f00:1]',
        '[64:ff9b::7f00:1]',
        '[2002:7f00:1::]',
        '[fe80::1]',
        '[fc00::1]',
        '[fd12::1]',
        '[ff02::1]',
      ],
      ...[
        '10.0.0.1',
        '10.1',
        '172.16.0.1',
        '172.31.255.255',
        '192.168.0.1',
        '192.168.1',
        '169.254.169.254',
        '0xa9fea9fe',
        '2852039166',
      ],
      ...[
        '100.64.0.1',
        '192.0.0.1',
        '198.18.0.1',
        '224.0.0.1',
        '240.0.0.1',
        '255.255.255.255',
        'metadata',
        'metadata.google.internal',
      ],
      ...[
        'printer.local',
        'intranet',
        'ⓛocalhost',
        '①②⑦.0.0.1',
        '127。0。0。1',
        '%31%32%37.0.0.1',
        '[::127.0.0.1]',
        '[0:0:0:0:0:0:0:1]',
      ],
    ]
    const urls = hosts.flatMap((host) => [`http://${host}:${port}/`, `https://${host}:${port}/x`])
    expect(urls.length).toBeGreaterThan(80)
    for (const url of urls) {
      const { status, text } = await proxied(url, {}, guarded)
      expect([url, [400, 403].includes(status), text]).toEqual([url, true, text])
    }
    expect(packets).toBe(0)
    upstream.replyWith({ status: 302, headers: { location: `http://[::1]:${port}/` } })
    expect((await proxied(`${origin}/`)).status).toBe(403)
    expect(packets).toBe(0)
    await new Promise((resolve) => canary.close(resolve))
  })
})
