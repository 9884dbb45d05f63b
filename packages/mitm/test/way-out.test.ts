import type { LookupFunction } from 'node:net'
import { createWayOut } from '@svc/http-client'
import { startForwardProxy } from '@svc/test-kit'
import { describe, expect, it } from 'vitest'
import { ask, connectThrough, LISTED, OTHER, startWorld, tlsThrough, type WorldOptions } from './world.ts'

/** A look-up that gives every name one address. */
const leadTo =
  (address: string): LookupFunction =>
  (_host, { all }, callback) => {
    if (all === true) callback(null, [{ address, family: 4 }])
    else callback(null, address, 4)
  }

const findNothing: LookupFunction = (_host, _options, callback) =>
  callback(Object.assign(new Error('not found'), { code: 'ENOTFOUND' }), '', 4)

const openWorld = (url: string, options: WorldOptions = {}) =>
  startWorld({ lookup: leadTo('93.184.216.34'), wayOut: createWayOut(() => ({ https: url })), ...options })

describe('behind another proxy', () => {
  it.each(['http/1.1', 'h2'] as const)(
    'requests of listed hosts over %s are filtered, and go through it',
    async (protocol) => {
      await using outer = await startForwardProxy({ credentials: 'me:secret' })
      await using world = await openWorld(`http://me:secret@127.0.0.1:${outer.port}`)
      world.upstream.replyWith({ body: 'ok' })
      const reply = await ask(world, protocol, {
        method: 'POST',
        path: '/v1/chat/completions',
        headers: { 'content-type': 'application/json' },
        body: '{"messages": "a secret"}',
      })
      expect(reply.status).toBe(200)
      expect(outer.requests).toMatchObject([{ method: 'CONNECT', target: world.target }])
      const seen = await world.upstream.request(0)
      expect(String(seen.body)).toContain('[MASK]')
      expect(seen.header('proxy-authorization')).toEqual([])
    },
  )

  it.each([
    ['that this machine knows', leadTo('93.184.216.34')],
    ['that only the other proxy knows', findNothing],
  ])('hosts that are not listed are tunnelled through it: names %s', async (_what, lookup) => {
    await using outer = await startForwardProxy()
    await using world = await openWorld(outer.url, { lookup })
    world.upstream.replyWith({ body: 'untouched' })
    const tls = await tlsThrough(world.proxy, `${OTHER}:${world.upstream.port}`, {
      ca: world.upstreamCa.cert,
      servername: OTHER,
    })
    tls.write(`GET / HTTP/1.1\r\nhost: ${OTHER}\r\nconnection: close\r\n\r\n`)
    const parts: Buffer[] = []
    for await (const part of tls) parts.push(part)
    expect(Buffer.concat(parts).toString()).toContain('untouched')
    expect(outer.requests).toMatchObject([{ target: `${OTHER}:${world.upstream.port}` }])
  })

  it.each([
    ['an address of a cloud', '169.254.169.254'],
    ['a name that leads to one', LISTED],
  ])('%s is refused before the other proxy hears of it', async (_what, host) => {
    await using outer = await startForwardProxy()
    await using world = await openWorld(outer.url, { lookup: leadTo('169.254.169.254') })
    const { status } = await connectThrough(world.proxy, `${host}:443`)
    expect(status).toBe(403)
    expect(outer.requests).toEqual([])
  })

  it('this machine is reached past it', async () => {
    await using outer = await startForwardProxy()
    await using world = await openWorld(outer.url, { lookup: leadTo('127.0.0.1') })
    world.upstream.replyWith({ body: 'ok' })
    expect((await ask(world, 'http/1.1', { method: 'GET', path: '/', headers: {} })).status).toBe(200)
    expect(outer.requests).toEqual([])
  })

  it.each([
    ['refuses', { answer: 'HTTP/1.1 403 Forbidden\r\n\r\n' }],
    ['asks for credentials', { credentials: 'a:b' }],
    ['closes', { answer: 'HTTP/1.1 2' }],
    ['is silent', { isSilent: true }],
    ['is down', undefined],
  ])('a request fails where it %s, and nothing is left open', async (_what, options) => {
    await using outer = await startForwardProxy(options)
    if (options === undefined) await outer.close()
    await using world = await openWorld(outer.url, { limits: { connectMs: 200 } })
    const reply = await ask(world, 'http/1.1', { method: 'GET', path: '/', headers: {} })
    expect(reply.status).toBe(502)
    expect(world.upstream.requests).toHaveLength(0)
    await expect.poll(() => world.proxy.counts.intercepted).toBe(0)
  })
})
