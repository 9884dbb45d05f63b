import type { FetchInit } from '@svc/auth/oauth'
import { createWayOut } from '@svc/http-client'
import { createTestCa, startForwardProxy, startUpstream } from '@svc/test-kit'
import { describe, expect, it } from 'vitest'
import { openClient } from './__fixtures__/test-client.ts'
import { createProviderFetch } from './provider-fetch.ts'

const INIT = { method: 'GET', headers: {}, redirect: 'manual' } as const
const resolve = async () => ['127.0.0.1']
const form = new URLSearchParams({ code: 'a b&c', secret: 'ü+/=' })

describe('a request to a sign-in provider', () => {
  it.each<readonly [string, FetchInit]>([
    ['a read', { ...INIT, headers: { accept: 'application/json' } }],
    ['a read with a token', { ...INIT, headers: { authorization: 'Bearer token', accept: 'application/json' } }],
    ['a form', { ...INIT, method: 'POST', headers: {}, body: form }],
    [
      'a form of a client that proves itself in a header',
      { ...INIT, method: 'POST', headers: { Authorization: 'Basic YTpi', accept: 'application/json' }, body: form },
    ],
    [
      'a form with a type',
      {
        ...INIT,
        method: 'POST',
        headers: { 'content-type': 'application/x-www-form-urlencoded;charset=UTF-8' },
        body: form,
      },
    ],
    ['a text', { ...INIT, method: 'POST', headers: { 'content-type': 'application/json' }, body: '{"a":"ü"}' }],
    ['nothing', { ...INIT, method: 'POST' }],
  ])('is the one that fetch sends: %s', async (_what, init) => {
    await using provider = await startUpstream()
    const send = createProviderFetch(openClient({ resolve }).client)
    const url = `${provider.origin}/token?a=%20b`
    await (await fetch(url, { ...init, body: init.body ?? null, signal: null })).arrayBuffer()
    await send(url, init)
    const [before, after] = [await provider.request(0), await provider.request(1)]
    for (const name of ['host', 'authorization', 'content-length', 'transfer-encoding']) {
      expect(after.header(name), name).toEqual(before.header(name))
    }
    const type = (value: string | undefined) => value?.split(';')[0]
    expect(after.header('content-type').map(type)).toEqual(before.header('content-type').map(type))
    expect([after.method, after.path, String(after.body)]).toEqual([before.method, before.path, String(before.body)])
  })

  it.each([200, 204, 205, 301, 302, 304, 307, 400, 401, 500])('has the reply %i that fetch has', async (status) => {
    await using provider = await startUpstream()
    const headers = { location: 'https://evil.example/', 'www-authenticate': 'Basic realm="a"' }
    provider.replyWith({ status, headers })
    const reply = await createProviderFetch(openClient({ resolve }).client)(provider.origin, INIT)
    const before = await fetch(provider.origin, { redirect: 'manual' })
    const isRedirect = before.status >= 301 && before.status <= 307 && before.status !== 304
    expect(reply.status).toBe(isRedirect ? 302 : before.status)
    if (!isRedirect) expect(reply.headers.get('www-authenticate')).toBe(before.headers.get('www-authenticate'))
  })

  // verifies service:way-out:proxies
  it('goes through a proxy, with the secret in the tunnel alone', async () => {
    const ca = createTestCa()
    await using proxy = await startForwardProxy()
    await using provider = await startUpstream({ protocol: 'https', hosts: ['issuer.example'], ca })
    provider.replyWith({ body: '{"ok":true}' })
    const wayOut = createWayOut(() => ({ https: proxy.url }))
    const { client } = openClient({ ca: ca.cert, wayOut, resolve: async () => ['93.184.216.34'] })
    const reply = await createProviderFetch(client)(`https://issuer.example:${provider.port}/token`, {
      ...INIT,
      method: 'POST',
      headers: { authorization: 'Basic c2VjcmV0' },
      body: form,
    })
    expect(await reply.json()).toEqual({ ok: true })
    expect((await provider.request(0)).header('authorization')).toEqual(['Basic c2VjcmV0'])
    expect(proxy.requests).toEqual([
      { method: 'CONNECT', target: `issuer.example:${provider.port}`, authorization: undefined },
    ])
  })
})
