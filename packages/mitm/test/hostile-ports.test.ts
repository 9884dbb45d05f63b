import { describe, expect, it } from 'vitest'
import type { BodyFilter } from '../src/index.ts'
import { ask, connectThrough, LISTED, OTHER, startWorld, tlsThrough } from './world.ts'

const SCANNED = { path: '/v1/chat/completions', body: '{"messages":[]}' }
const UNSCANNED = { method: 'GET', path: '/v1/models' }

function fail(): never {
  throw new Error('a port failed')
}

/** Takes anything for a filter, as plain JavaScript would. */
const answering = (verdict: unknown): BodyFilter => ({ filter: async () => verdict as never })

describe.each(['http/1.1', 'h2'] as const)('a client of %s', (protocol) => {
  it.each([
    [500, 'fields that no JSON holds', { blocked: true, fields: { count: 1n } }],
    [503, 'a restorer that is none', { blocked: false, body: Buffer.from('{}'), restorer: 5 }],
    [503, 'half a restorer', { blocked: false, body: Buffer.from('{}'), restorer: { restoreBody: fail } }],
  ])('gets %i where the filter gives %s, and the host gets nothing', async (status, _, verdict) => {
    await using world = await startWorld({ filter: answering(verdict) })
    expect((await ask(world, protocol, SCANNED)).status).toBe(status)
    expect(world.upstream.requests).toEqual([])
  })

  it('gets a refusal where the restorer of a stream fails, and the proxy goes on', async () => {
    const restorer = { startStream: fail, restoreBody: fail }
    await using world = await startWorld({ filter: answering({ blocked: false, body: Buffer.from('{}'), restorer }) })
    world.upstream.replyWith({ headers: { 'content-type': 'text/event-stream' }, body: 'data: {}\n\n' })
    expect((await ask(world, protocol, SCANNED)).status).toBe(500)
    world.upstream.replyWith({ body: 'models' })
    expect((await ask(world, protocol, UNSCANNED)).body.toString()).toBe('models')
  })

  it('is served where the observer of events fails', async () => {
    await using world = await startWorld({ onEvent: fail })
    expect((await ask(world, protocol, UNSCANNED)).status).toBe(200)
    expect((await ask(world, protocol, { ...SCANNED, body: 'forbidden' })).status).toBe(400)
    expect((await connectThrough(world.proxy, 'no-target')).status).toBe(400)
    const { socket } = await connectThrough(world.proxy, `${OTHER}:${world.upstream.port}`)
    socket.destroy()
    await expect.poll(() => world.proxy.counts).toMatchObject({ tunnels: 0, refused: 1, requests: 2, blocked: 1 })
  })
})

it.each([LISTED, OTHER])('rules that fail on the TLS name in a connection to %s do not list it', async (host) => {
  const find = (name: string) => (name === 'odd.example' ? fail() : name === LISTED ? { filter: undefined } : undefined)
  await using world = await startWorld({ policy: { find } })
  const tls = await tlsThrough(world.proxy, `${host}:${world.upstream.port}`, {
    ca: world.authority.certificate,
    servername: 'odd.example',
    insecure: true,
  })
  expect(await world.event('server-name-mismatch')).toMatchObject({ serverName: 'odd.example', listed: false })
  tls.destroy()
  expect((await ask(world, 'http/1.1', UNSCANNED)).status).toBe(200)
})
