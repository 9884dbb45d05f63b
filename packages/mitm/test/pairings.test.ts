import { describe, expect, it } from 'vitest'
import { ask, startWorld } from './world.ts'

const PAIRINGS = [
  ['http/1.1', 'https'],
  ['http/1.1', 'h2'],
  ['h2', 'https'],
  ['h2', 'h2'],
] as const

describe.each(PAIRINGS)('a client of %s and a host of %s', (client, protocol) => {
  it('relays a request and its reply', async () => {
    await using world = await startWorld({ protocol })
    world.upstream.replyWith({
      status: 201,
      headers: { 'x-reply': ['a', 'b'], 'content-type': 'text/plain' },
      body: 'hello',
    })
    const reply = await ask(world, client, {
      path: '/v1/files?x=%20',
      headers: { 'X-Custom': 'value' },
      body: 'plain secret',
    })
    expect([reply.status, reply.body.toString(), reply.headers['x-reply']]).toEqual([201, 'hello', 'a, b'])
    expect(world.upstream.requests).toHaveLength(1)
    const [request] = world.upstream.requests
    expect([request?.method, request?.path, request?.text(), request?.header('x-custom')]).toEqual([
      'POST',
      '/v1/files?x=%20',
      'plain secret',
      ['value'],
    ])
  })

  it('blocks and masks', async () => {
    await using world = await startWorld({ protocol })
    const blocked = await ask(world, client, { path: '/v1/messages', body: '{"a":"forbidden"}' })
    expect(blocked.status).toBe(400)
    expect(JSON.parse(blocked.body.toString())).toMatchObject({ type: 'error', error: { type: 'pii_blocked' } })
    expect(world.upstream.connections).toBe(0)
    const masked = await ask(world, client, { path: '/v1/chat/completions', body: '{"a":"secret"}' })
    expect(masked.status).toBe(200)
    expect(world.upstream.requests.map((request) => request.text())).toEqual(['{"a":"[MASK]"}'])
  })
})
