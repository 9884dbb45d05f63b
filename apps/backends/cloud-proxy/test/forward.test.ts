import type { ForwardReply, ForwardRequest } from '@svc/backend-client/proto'
import { startUpstream } from '@svc/test-kit'
import { describe, expect, it } from 'vitest'
import { type CloudWorld, startWorld } from './world.ts'

const BODY = '{ "model":"mine",  "x_vendor": 1.50, "big": 12345678901234567890, "stream":true }'

interface Relayed {
  readonly status: number
  readonly headers: Record<string, string>
  readonly body: string
  readonly replies: readonly ForwardReply[]
}

async function relay(world: CloudWorld, body: string, head: Partial<ForwardRequest> = {}): Promise<Relayed> {
  const call = world.client.forward()
  const bytes = Buffer.from(body)
  const middle = Math.floor(bytes.length / 2)
  await call.write({ path: '/v1/messages', method: 'POST', ...head, bodyChunk: bytes.subarray(0, middle) })
  // An empty piece is not the end.
  await call.write({ bodyChunk: Buffer.of() })
  await call.write({ bodyChunk: bytes.subarray(middle) })
  call.end()
  const replies: ForwardReply[] = []
  for await (const reply of call) replies.push(reply)
  return {
    status: replies[0]?.status ?? 0,
    headers: Object.fromEntries(replies[0]?.headers.map(({ name, value }) => [name, value]) ?? []),
    body: Buffer.concat(replies.map(({ bodyChunk }) => bodyChunk)).toString(),
    replies,
  }
}

describe('Forward', () => {
  it('sends the bytes as they are, to the very address', async () => {
    await using world = await startWorld()
    await world.load({ apiKeyEnv: 'KEY' })
    world.provider.enqueue({
      headers: { 'content-type': 'text/event-stream', 'set-cookie': 'a=b' },
      body: 'event: x\n\n',
    })
    const headers = [
      { name: 'Authorization', value: 'Bearer mine' },
      { name: 'Cookie', value: 'a=b' },
      { name: 'Content-Type', value: 'application/json; charset=utf-8' },
    ]
    expect(await relay(world, BODY, { headers })).toMatchObject({
      status: 200,
      headers: { 'content-type': 'text/event-stream' },
      body: 'event: x\n\n',
    })
    const request = world.provider.requests[0]
    expect(request?.text()).toBe(BODY)
    expect(request?.path).toBe('/v1/x?y=1')
    expect(request?.header('authorization')).toEqual(['Bearer sk-variable'])
    expect(request?.header('cookie')).toEqual([])
    expect(request?.header('content-type')).toEqual(['application/json; charset=utf-8'])
  })

  it('changes the model at the top alone', async () => {
    await using world = await startWorld()
    await world.load({ upstreamModel: 'theirs' })
    await relay(world, BODY)
    expect(world.provider.requests[0]?.text()).toBe(BODY.replace('"mine"', '"theirs"'))
  })

  it('takes the path of the request when the address has none', async () => {
    await using world = await startWorld()
    await world.load({ upstreamUrl: world.provider.origin })
    await relay(world, BODY)
    expect(world.provider.requests[0]?.path).toBe('/v1/messages')
  })

  it('relays errors with status and body', async () => {
    await using world = await startWorld()
    await world.load({})
    world.provider.enqueue({ status: 529, headers: { 'retry-after': '3', location: 'x' }, body: 'so busy' })
    expect(await relay(world, BODY)).toMatchObject({ status: 529, headers: { 'retry-after': '3' }, body: 'so busy' })
  })

  it('does not relay the key that an error repeats', async () => {
    await using world = await startWorld()
    for (const provider of ['provider_a', 'provider_b']) {
      await world.load({ apiKeyEnv: 'KEY', provider })
      world.provider.enqueue({ status: 401, body: ['no such key: "sk-va', 'riable", see é', ''] })
      expect(await relay(world, BODY)).toMatchObject({ status: 401, body: 'no such key: "[key]", see é' })
    }
  })

  it('relays large replies in pieces that fit', async () => {
    await using world = await startWorld()
    await world.load({})
    const large = 'x'.repeat(5 * 1024 * 1024)
    world.provider.enqueue({ body: large })
    const { body, replies } = await relay(world, BODY)
    expect(body).toBe(large)
    expect(Math.max(...replies.map(({ bodyChunk }) => bodyChunk.length))).toBeLessThanOrEqual(1024 * 1024)
  })

  it('follows no redirect', async () => {
    await using world = await startWorld()
    await using other = await startUpstream()
    await world.load({ apiKeyEnv: 'KEY' })
    world.provider.enqueue({ status: 308, headers: { location: other.origin } })
    await expect(relay(world, BODY)).rejects.toMatchObject({ kind: 'upstream_failed', code: 'upstream_redirect' })
    expect(other.requests).toEqual([])
  })

  it('fails when the upstream is cut off in the middle', async () => {
    await using world = await startWorld()
    await world.load({})
    world.provider.enqueue({ headers: { 'content-length': '100' }, body: 'half', end: 'cut' })
    await expect(relay(world, BODY)).rejects.toMatchObject({ kind: 'upstream_failed' })
  })

  it('carries eight requests at once, each its own', async () => {
    await using world = await startWorld()
    await world.load({})
    world.provider.replyWith((request) => ({ body: request.text() }))
    const bodies = Array.from({ length: 8 }, (_, index) => `{"n":${index}}`)
    const replies = await Promise.all(bodies.map((body) => relay(world, body)))
    expect(replies.map(({ body }) => body)).toEqual(bodies)
  })

  it.each([
    ['{broken', {}, 'json_syntax'],
    [BODY, { method: 'GET' }, 'method_not_forwardable'],
    [BODY, { headers: [{ name: 'x-svc-hop', value: '4' }] }, 'proxy_loop'],
  ])('refuses %j with %j', async (body, head, code) => {
    await using world = await startWorld()
    await world.load({})
    await expect(relay(world, body, head)).rejects.toMatchObject({ code })
    expect(world.provider.requests).toEqual([])
  })

  it('is refused where requests are translated, and before a model is loaded', async () => {
    await using world = await startWorld()
    await expect(relay(world, BODY)).rejects.toMatchObject({ code: 'model_not_loaded' })
    await world.load({ mode: 'translate', provider: 'provider_a' })
    await expect(relay(world, BODY)).rejects.toMatchObject({ code: 'translate_only' })
  })

  it('that the host leaves ends the request upstream', async () => {
    await using world = await startWorld()
    await world.load({})
    world.provider.enqueue({ body: ['half', new Promise(() => {})] })
    const call = world.client.forward()
    await call.write({ path: '/', method: 'POST', bodyChunk: Buffer.from(BODY) })
    call.end()
    for await (const { bodyChunk } of call) if (bodyChunk.length > 0) break
    expect(await world.provider.requests[0]?.outcome).toBe('aborted')
  })
})
