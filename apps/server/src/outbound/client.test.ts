import { createServer } from 'node:http'
import { startUpstream, trackSockets } from '@svc/test-kit'
import { describe, expect, it } from 'vitest'
import { openClient } from './__fixtures__/test-client.ts'

const LOOPBACK = { allow: { cidrs: ['127.0.0.0/8'], hosts: [] } }

/** A resolver that gives one answer after the other, with the names it was asked for. */
function flipping(...answers: (readonly string[])[]) {
  const lookups: string[] = []
  const resolve = async (host: string) => {
    lookups.push(host)
    return answers[lookups.length - 1] ?? []
  }
  return { lookups, resolve }
}

/** A server that counts its visitors on another address of this machine, on a port that is taken on 127.0.0.1. */
async function startCanary(port: number, address = '127.0.0.2') {
  const server = createServer((_request, response) => response.end('secret'))
  const sockets = trackSockets(server)
  await new Promise<void>((resolve) => server.listen(port, address, resolve))
  return {
    get hits() {
      return sockets.accepted
    },
    [Symbol.asyncDispose]: sockets.close,
  }
}

const notAllowed = { kind: 'invalid_request', code: 'url_not_allowed' }

describe('fetch', () => {
  it('gives status, final URL, headers and content', async () => {
    await using upstream = await startUpstream()
    upstream.replyWith({ status: 206, headers: { 'content-type': 'text/x', 'set-cookie': 'a=b' }, body: 'hello' })
    const { client, request } = openClient(LOOPBACK)
    await using reply = await client.fetch(`http://127.0.0.1:${upstream.port}/a%20b?c#d`, {
      ...request,
      trust: 'public',
    })
    expect(reply).toMatchObject({
      status: 206,
      url: `http://127.0.0.1:${upstream.port}/a%20b?c`,
      headers: { 'content-type': 'text/x', 'content-length': '5' },
    })
    expect(reply.headers['set-cookie']).toBeUndefined()
    expect(String(await reply.bytes())).toBe('hello')
    const { method, path, headers } = await upstream.request(0)
    expect({ method, path }).toEqual({ method: 'GET', path: '/a%20b?c' })
    expect(Object.fromEntries(headers)).toEqual({
      host: `127.0.0.1:${upstream.port}`,
      accept: '*/*',
      'accept-encoding': 'gzip, deflate, br',
      'user-agent': 'svc/test',
      Connection: 'close',
    })
  })

  it('sends a body and the allowed headers', async () => {
    await using upstream = await startUpstream()
    const { client, request } = openClient()
    const body = new TextEncoder().encode('{"a":1}')
    const headers = { 'Content-Type': 'application/json', Authorization: 'Bearer leaked', Cookie: 'leaked' }
    const reply = await client.fetch(upstream.origin.replace('localhost', '127.0.0.1'), {
      ...request,
      method: 'POST',
      headers,
      body,
    })
    expect(await reply.json()).toEqual({})
    const sent = await upstream.request(0)
    expect(sent).toMatchObject({ method: 'POST', body: Buffer.from(body) })
    expect(sent.header('content-length')).toEqual(['7'])
    expect(sent.header('content-type')).toEqual(['application/json'])
    expect(JSON.stringify(sent.headers)).not.toContain('leaked')
  })

  it('sends no body back for HEAD, and does not mind how long it would be', async () => {
    await using upstream = await startUpstream()
    upstream.replyWith({ headers: { 'content-length': '99000000', 'content-encoding': 'gzip' } })
    const { client, request } = openClient()
    const reply = await client.fetch(`http://127.0.0.1:${upstream.port}/`, {
      ...request,
      method: 'HEAD',
      decode: false,
    })
    expect(reply.headers['content-length']).toBe('99000000')
    expect(await reply.bytes()).toHaveLength(0)
  })

  it('asks for content as it is when it asks for a part', async () => {
    await using upstream = await startUpstream()
    const { client, request } = openClient()
    const reply = await client.fetch(`http://127.0.0.1:${upstream.port}/`, {
      ...request,
      headers: { Range: 'bytes=1-', 'If-Range': '"x"' },
    })
    await reply.close()
    const sent = await upstream.request(0)
    expect([sent.header('range'), sent.header('if-range'), sent.header('accept-encoding')]).toEqual([
      ['bytes=1-'],
      ['"x"'],
      ['identity'],
    ])
  })

  it('returns replies of every status but redirects', async () => {
    await using upstream = await startUpstream()
    const { client, request } = openClient()
    for (const status of [200, 204, 300, 304, 404, 500, 503]) {
      upstream.enqueue({ status })
      await using reply = await client.fetch(`http://127.0.0.1:${upstream.port}/`, request)
      expect(reply.status).toBe(status)
    }
  })

  it('reads content once', async () => {
    await using upstream = await startUpstream()
    const { client, request } = openClient()
    const reply = await client.fetch(`http://127.0.0.1:${upstream.port}/`, request)
    await reply.bytes()
    await expect(reply.bytes()).rejects.toThrow('only once')
    const closed = await client.fetch(`http://127.0.0.1:${upstream.port}/`, request)
    await closed.close()
    await expect(closed.json()).rejects.toThrow('only once')
  })

  it.each([
    ['cut off', '{"a":'],
    ['behind a byte order mark', '\u00ef\u00bb\u00bf{}'],
    ['too deep', '['.repeat(100_000)],
    ['no UTF-8', '"\u00ff"'],
  ])('refuses JSON that is %s', async (_how, text) => {
    await using upstream = await startUpstream()
    upstream.replyWith({ body: Buffer.from(text, 'latin1') })
    const { client, request } = openClient()
    const reply = await client.fetch(`http://127.0.0.1:${upstream.port}/`, request)
    await expect(reply.json()).rejects.toMatchObject({
      kind: 'upstream_failed',
      code: 'fetch_failed',
      message: 'the URL could not be fetched: the content is not valid JSON',
    })
  })
})

describe('an address that is not public', () => {
  it.each([
    'http://127.0.0.1:PORT/',
    'http://2130706433:PORT/',
    'http://[::ffff:127.0.0.1]:PORT/',
    'http://localhost:PORT/',
    'http://inside.example:PORT/',
  ])('is never connected to: %s', async (url) => {
    await using upstream = await startUpstream()
    const { client, request, logged } = openClient({ resolve: async () => ['127.0.0.1'] })
    const fetching = client.fetch(url.replace('PORT', String(upstream.port)), { ...request, trust: 'public' })
    await expect(fetching).rejects.toMatchObject(notAllowed)
    expect(upstream.connections).toBe(0)
    expect(logged).toEqual([
      { trust: 'public', code: 'url_not_allowed', reason: expect.any(String), host: expect.any(String) },
    ])
  })

  it('is not reached by a name that means another address a moment later', async () => {
    await using upstream = await startUpstream()
    await using canary = await startCanary(upstream.port)
    const { lookups, resolve } = flipping(['127.0.0.1'], ['127.0.0.2'], ['127.0.0.2'])
    const { client, request } = openClient({ ...LOOPBACK, resolve })
    const reply = await client.fetch(`http://rebind.example:${upstream.port}/`, { ...request, trust: 'public' })
    await reply.bytes()
    expect(lookups).toEqual(['rebind.example'])
    expect((await upstream.request(0)).header('host')).toEqual([`rebind.example:${upstream.port}`])
    expect(canary.hits).toBe(0)
  })

  it('is not reached by a redirect to the same name that means another address by then', async () => {
    await using upstream = await startUpstream()
    await using canary = await startCanary(upstream.port)
    upstream.replyWith({ status: 302, headers: { location: '/again' } })
    const { lookups, resolve } = flipping(['127.0.0.1'], ['127.0.0.2'])
    const { client, request } = openClient({ allow: { cidrs: ['127.0.0.1'], hosts: [] }, resolve })
    const url = `http://rebind.example:${upstream.port}/`
    await expect(client.fetch(url, { ...request, trust: 'public', redirects: 3 })).rejects.toMatchObject(notAllowed)
    expect(lookups).toHaveLength(2)
    expect(canary.hits).toBe(0)
  })

  it('is not reached by a redirect, from a public place or from one of the operator', async () => {
    await using upstream = await startUpstream()
    await using canary = await startCanary(upstream.port)
    upstream.replyWith({ status: 307, headers: { location: `http://127.0.0.2:${upstream.port}/` } })
    const { client, request } = openClient({ allow: { cidrs: ['127.0.0.1'], hosts: [] } })
    const url = `http://127.0.0.1:${upstream.port}/`
    await expect(client.fetch(url, { ...request, trust: 'public', redirects: 3 })).rejects.toMatchObject({
      ...notAllowed,
      details: { reason: 'private_network' },
    })
    await expect(client.fetch(url, { ...request, redirects: 3 })).rejects.toMatchObject({
      kind: 'upstream_failed',
      code: 'fetch_failed',
      message: 'the URL could not be fetched: the reply redirects to an address that is not allowed',
      cause: notAllowed,
    })
    expect(upstream.requests).toHaveLength(2)
    expect(canary.hits).toBe(0)
  })

  it('is tried where the operator configured it, one address after the other', async () => {
    await using upstream = await startUpstream()
    const { client, request } = openClient({ resolve: async () => ['127.0.0.3', '127.0.0.1'] })
    const reply = await client.fetch(`http://gallery:${upstream.port}/`, request)
    expect(await reply.json()).toEqual({})
    expect((await upstream.request(0)).header('host')).toEqual([`gallery:${upstream.port}`])
  })

  it('is found by the system where no other resolver is given', async () => {
    await using upstream = await startUpstream()
    const { client, request } = openClient({ resolve: undefined })
    const reply = await client.fetch(`http://localhost:${upstream.port}/`, request)
    expect(await reply.json()).toEqual({})
  })

  it('is not told when no server listens there', async () => {
    await using upstream = await startUpstream()
    await upstream.close()
    const { client, request } = openClient(LOOPBACK)
    const url = `http://127.0.0.1:${upstream.port}/`
    const failure = { kind: 'upstream_failed', code: 'fetch_failed', details: { reason: 'connection_refused' } }
    await expect(client.fetch(url, { ...request, trust: 'public' })).rejects.toMatchObject({
      ...failure,
      message: 'the URL could not be fetched',
    })
    await expect(client.fetch(url, request)).rejects.toMatchObject({
      ...failure,
      message: 'the URL could not be fetched: the connection was refused',
    })
  })
})

describe('a redirect', () => {
  const redirectTo = (location: string, status = 302) => ({ status, headers: { location }, body: 'moved' })

  it('is a failure unless it is asked for', async () => {
    await using upstream = await startUpstream()
    upstream.replyWith(redirectTo('/elsewhere'))
    const { client, request } = openClient()
    const fetching = client.fetch(`http://127.0.0.1:${upstream.port}/`, request)
    await expect(fetching).rejects.toMatchObject({ kind: 'upstream_failed', details: { reason: 'redirect' } })
    expect(upstream.requests).toHaveLength(1)
  })

  it.each([301, 302, 303, 307, 308])('of status %i is followed so often as asked, and no further', async (status) => {
    await using upstream = await startUpstream()
    upstream.replyWith(({ path }) => redirectTo(`${path}x`, status))
    upstream.enqueue(redirectTo('b', status), redirectTo('/c', status), { body: 'there' })
    const { client, request } = openClient()
    const reply = await client.fetch(`http://127.0.0.1:${upstream.port}/a`, { ...request, redirects: 2 })
    expect(reply.url).toBe(`http://127.0.0.1:${upstream.port}/c`)
    expect(String(await reply.bytes())).toBe('there')
    const endless = client.fetch(`http://127.0.0.1:${upstream.port}/`, { ...request, redirects: 3 })
    await expect(endless).rejects.toMatchObject({ code: 'fetch_failed', details: { reason: 'too_many_redirects' } })
    expect(upstream.requests.map(({ path }) => path)).toEqual(['/a', '/b', '/c', '/', '/x', '/xx', '/xxx'])
  })

  it('without a readable place is a failure', async () => {
    await using upstream = await startUpstream()
    upstream.enqueue({ status: 302 }, redirectTo('http://['), redirectTo('http://256.256.256.256/'))
    const { client, request } = openClient()
    for (let index = 0; index < 3; index += 1) {
      const fetching = client.fetch(`http://127.0.0.1:${upstream.port}/`, { ...request, redirects: 3 })
      await expect(fetching).rejects.toMatchObject({ code: 'fetch_failed', details: { reason: 'redirect' } })
    }
  })

  it.each(['file:///etc/passwd', 'http://user:key@127.0.0.1/', 'data:,x', 'http://metadata.google.internal/'])(
    'to %s is refused',
    async (location) => {
      await using upstream = await startUpstream()
      upstream.replyWith(redirectTo(location))
      const { client, request } = openClient(LOOPBACK)
      const url = `http://127.0.0.1:${upstream.port}/`
      await expect(client.fetch(url, { ...request, trust: 'public', redirects: 3 })).rejects.toMatchObject(notAllowed)
    },
  )

  it('is not read any further than its headers', async () => {
    await using upstream = await startUpstream()
    upstream.enqueue({ status: 302, headers: { location: '/next' }, body: ['moved', new Promise(() => {})] })
    const { client, request } = openClient()
    const reply = await client.fetch(`http://127.0.0.1:${upstream.port}/`, { ...request, redirects: 1 })
    expect(await (await upstream.request(0)).outcome).toBe('aborted')
    expect(await reply.json()).toEqual({})
  })

  it('is never followed with a body', async () => {
    await using upstream = await startUpstream()
    upstream.replyWith(redirectTo('/elsewhere', 307))
    const { client, request } = openClient()
    const body = new TextEncoder().encode('client_secret=x')
    const url = `http://127.0.0.1:${upstream.port}/`
    await expect(client.fetch(url, { ...request, method: 'POST', body, redirects: 3 })).rejects.toMatchObject({
      code: 'fetch_failed',
    })
    expect(upstream.requests).toHaveLength(1)
  })
})

describe('credentials', () => {
  const authorization = 'Bearer key'

  it('reach their origin, also after a redirect inside it', async () => {
    await using upstream = await startUpstream()
    upstream.enqueue({ status: 302, headers: { location: '/next' } })
    const { client, request } = openClient()
    const origin = `http://127.0.0.1:${upstream.port}`
    const credentials = { origin: `${origin}/ignored`, authorization }
    await using _reply = await client.fetch(`${origin}/`, { ...request, redirects: 1, credentials })
    expect(upstream.requests.map((sent) => sent.header('authorization'))).toEqual([[authorization], [authorization]])
  })

  it('reach no other origin', async () => {
    await using upstream = await startUpstream()
    const { client, request } = openClient()
    const url = `http://127.0.0.1:${upstream.port}/`
    for (const origin of [
      `https://127.0.0.1:${upstream.port}`,
      `http://127.0.0.2:${upstream.port}`,
      'http://127.0.0.1',
    ]) {
      await using _reply = await client.fetch(url, { ...request, credentials: { origin, authorization } })
    }
    expect(upstream.requests.map((sent) => sent.header('authorization'))).toEqual([[], [], []])
  })

  it('are gone for good once a redirect has led away', async () => {
    await using home = await startUpstream()
    await using away = await startUpstream()
    const origin = `http://127.0.0.1:${home.port}`
    home.enqueue({ status: 302, headers: { location: `http://127.0.0.1:${away.port}/` } })
    away.replyWith({ status: 302, headers: { location: `${origin}/admin` } })
    const { client, request } = openClient(LOOPBACK)
    const credentials = { origin, authorization }
    await using _reply = await client.fetch(origin, { ...request, redirects: 2, credentials })
    expect(home.requests.map((sent) => sent.header('authorization'))).toEqual([[authorization], []])
    expect((await away.request(0)).header('authorization')).toEqual([])
  })
})
