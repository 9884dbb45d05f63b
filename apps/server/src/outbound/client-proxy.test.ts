import { createWayOut } from '@svc/http-client'
import { createTestCa, startForwardProxy, startUpstream } from '@svc/test-kit'
import { describe, expect, it } from 'vitest'
import { openClient } from './__fixtures__/test-client.ts'
import type { OutboundClientOptions } from './client.ts'

const ca = createTestCa()
const PUBLIC = ['93.184.216.34']

/** A client whose requests go through a proxy, and that finds a public address for every name. */
function open(url: string, options: Partial<OutboundClientOptions> = {}, no = '') {
  const wayOut = createWayOut(() => ({ https: url, http: url, no }))
  return openClient({ ca: ca.cert, wayOut, resolve: async () => PUBLIC, allow: ALLOWED, ...options })
}

/** Test ports are not ports of public web servers. */
const ALLOWED = { cidrs: PUBLIC, hosts: [] }

const startSecure = () => startUpstream({ protocol: 'https', hosts: ['cdn.example'], ca })

describe('a fetch through a proxy', () => {
  it('tunnels https and verifies the certificate of the host', async () => {
    await using proxy = await startForwardProxy({ credentials: 'me:secret' })
    await using upstream = await startSecure()
    upstream.replyWith({ body: '"hello"' })
    const { client, request } = open(`http://me:secret@127.0.0.1:${proxy.port}`)
    const url = `https://cdn.example:${upstream.port}/a?b`
    const reply = await client.fetch(url, { ...request, trust: 'public' })
    expect(await reply.json()).toBe('hello')
    expect(proxy.requests).toMatchObject([{ method: 'CONNECT', target: `cdn.example:${upstream.port}` }])
    const seen = await upstream.request(0)
    expect([seen.path, seen.header('host'), seen.header('proxy-authorization')]).toEqual([
      '/a?b',
      [`cdn.example:${upstream.port}`],
      [],
    ])
    await expect(client.fetch(`https://other.example:${upstream.port}/`, request)).rejects.toMatchObject({
      details: { reason: 'tls' },
    })
  })

  it('asks for the whole URL of plain http, and follows a redirect from it into a tunnel', async () => {
    await using proxy = await startForwardProxy()
    await using upstream = await startSecure()
    await using plain = await startUpstream()
    plain.replyWith({ status: 302, headers: { location: `https://cdn.example:${upstream.port}/there` } })
    upstream.replyWith({ body: '"there"' })
    const { client, request } = open(proxy.url)
    const credentials = { origin: `http://a.example:${plain.port}`, authorization: 'Bearer key' }
    const reply = await client.fetch(`http://a.example:${plain.port}/here?x`, {
      ...request,
      trust: 'public',
      redirects: 1,
      credentials,
    })
    expect(await reply.json()).toBe('there')
    expect(proxy.requests.map(({ method, target }) => `${method} ${target}`)).toEqual([
      `GET http://a.example:${plain.port}/here?x`,
      `CONNECT cdn.example:${upstream.port}`,
    ])
    expect((await upstream.request(0)).header('authorization')).toEqual([])
  })

  // verifies service:way-out:addresses
  it.each([
    ['a private address', 'http://10.0.0.1/', PUBLIC],
    ['an address of a cloud', 'http://169.254.169.254/', PUBLIC],
    ['a name with a private address', 'https://inside.example/', ['192.168.1.1']],
    ['a name with one private address among others', 'https://inside.example/', [...PUBLIC, '10.0.0.1']],
    ['an internal name', 'http://metadata.google.internal/', PUBLIC],
    ['a name of one label', 'http://intranet/', PUBLIC],
    ['this machine', 'http://127.0.0.1/', PUBLIC],
    ['an odd port of a name that only the proxy knows', 'https://far.example:22/', []],
    ['an internal name that only the proxy knows', 'https://files.local/', []],
    ['a file', 'file:///etc/passwd', PUBLIC],
  ])('is refused before the proxy hears of it: %s', async (_what, url, addresses) => {
    await using proxy = await startForwardProxy()
    const { client, request } = open(proxy.url, {
      allow: { cidrs: [], hosts: [] },
      async resolve() {
        if (addresses.length === 0) throw Object.assign(new Error('not found'), { code: 'ENOTFOUND' })
        return addresses
      },
    })
    await expect(client.fetch(url, { ...request, trust: 'public' })).rejects.toMatchObject({ code: 'url_not_allowed' })
    expect(proxy.requests).toEqual([])
  })

  it.each([
    ['a redirect into this network', 'http://10.0.0.1/'],
    ['a redirect to an internal name', 'http://a.internal/'],
  ])('checks every hop: %s', async (_what, location) => {
    await using proxy = await startForwardProxy()
    await using plain = await startUpstream()
    plain.replyWith({ status: 302, headers: { location } })
    const { client, request } = open(proxy.url)
    const fetching = client.fetch(`http://a.example:${plain.port}/`, { ...request, trust: 'public', redirects: 10 })
    await expect(fetching).rejects.toMatchObject({ code: 'url_not_allowed' })
    expect(proxy.requests).toHaveLength(1)
  })

  it('leaves a name that nobody here knows to the proxy, at the usual ports', async () => {
    await using proxy = await startForwardProxy({ answer: 'HTTP/1.1 502 No such host\r\n\r\n' })
    const { client, request } = open(proxy.url, {
      resolve: async () => Promise.reject(Object.assign(new Error('not found'), { code: 'ENOTFOUND' })),
    })
    await expect(client.fetch('https://far.example/', { ...request, trust: 'public' })).rejects.toMatchObject({
      code: 'fetch_failed',
      details: { reason: 'proxy_refused', host: 'far.example' },
    })
    expect(proxy.requests).toMatchObject([{ target: 'far.example:443' }])
  })

  // verifies service:way-out:this-machine
  it('goes past the proxy to this machine, also by a name, and to hosts of the list', async () => {
    await using proxy = await startForwardProxy()
    await using plain = await startUpstream()
    plain.replyWith({ body: '"direct"' })
    const { client, request } = open(proxy.url, { resolve: async () => ['127.0.0.1'] }, 'listed.example')
    for (const host of ['127.0.0.1', 'localhost', 'own.example', 'listed.example']) {
      const reply = await client.fetch(`http://${host}:${plain.port}/`, request)
      expect(await reply.json()).toBe('direct')
    }
    expect(proxy.requests).toEqual([])
  })

  it.each([
    ['asks for other credentials', { credentials: 'me:other' }, 'proxy_credentials', 'credentials'],
    ['refuses', { answer: 'HTTP/1.1 403 Forbidden\r\n\r\n' }, 'proxy_refused', 'refuses'],
    ['closes', { answer: 'HTTP/1.1 20' }, 'proxy_lost', 'closed'],
  ])('names the proxy that %s, and never its password', async (_what, options, reason, words) => {
    await using proxy = await startForwardProxy(options)
    const { client, request, logged } = open(`http://me:hunter-2@127.0.0.1:${proxy.port}`)
    const failure: unknown = await client.fetch('https://a.example/', request).catch((error: unknown) => error)
    expect(failure).toMatchObject({ code: 'fetch_failed', details: { reason } })
    expect(String(failure)).toContain(words)
    const shown = JSON.stringify([logged, String(failure), Object.entries(failure ?? {})])
    expect(shown).not.toMatch(new RegExp(`hunter-2|${Buffer.from('me:hunter-2').toString('base64')}`))
  })

  it('is ended by its time where the proxy is silent', async () => {
    await using proxy = await startForwardProxy({ isSilent: true })
    const { client, request } = open(proxy.url, {}, '')
    for (const url of ['https://a.example/', 'http://a.example/']) {
      await expect(client.fetch(url, { ...request, idleTimeoutMs: 100 })).rejects.toMatchObject({
        code: 'fetch_timeout',
      })
    }
  })
})
